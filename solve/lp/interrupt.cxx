// The C interface has no way to stop a solve from outside: its time limit
// counts the CPU time of the whole process. CLP asks an event handler after
// every iteration; it copies the handler to the problems it derives.
#define CLP_EXTERN_C // the definition of Clp_Simplex, which holds model_
#include <coin/ClpSimplex.hpp>
#include <coin/ClpEventHandler.hpp>
#include <coin/Clp_C_Interface.h>

#include "interrupt.h"

namespace {

class Watcher : public ClpEventHandler {
public:
	explicit Watcher(const int *stop) : stop_(stop) {}
	ClpEventHandler *clone() const override { return new Watcher(*this); }
	int event(Event) override { return __atomic_load_n(stop_, __ATOMIC_RELAXED) ? 0 : -1; }

private:
	const int *stop_;
};

} // namespace

void watch(void *clp, const int *stop) {
	Watcher w(stop);
	static_cast<Clp_Simplex *>(clp)->model_->passInEventHandler(&w);
}
