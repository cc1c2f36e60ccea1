#ifndef IPUSOLVE_LP_INTERRUPT_H
#define IPUSOLVE_LP_INTERRUPT_H

#ifdef __cplusplus
extern "C" {
#endif

/* watch makes the solves of a Clp_Simplex, presolved ones included, end with
   status 5 soon after *stop becomes nonzero. stop must outlive the problem. */
void watch(void *clp, const int *stop);

#ifdef __cplusplus
}
#endif

#endif
