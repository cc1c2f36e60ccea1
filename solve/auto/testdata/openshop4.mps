NAME openshop FREE
ROWS
 N cost
 G end0_0
 G end0_1
 G end0_2
 G end0_3
 G end1_0
 G end1_1
 G end1_2
 G end1_3
 G end2_0
 G end2_1
 G end2_2
 G end2_3
 G end3_0
 G end3_1
 G end3_2
 G end3_3
 L before0_1_0_0
 L after0_1_0_0
 L before1_0_0_0
 L after1_0_0_0
 L before0_2_0_0
 L after0_2_0_0
 L before2_0_0_0
 L after2_0_0_0
 L before0_2_0_1
 L after0_2_0_1
 L before2_0_1_0
 L after2_0_1_0
 L before0_3_0_0
 L after0_3_0_0
 L before3_0_0_0
 L after3_0_0_0
 L before0_3_0_1
 L after0_3_0_1
 L before3_0_1_0
 L after3_0_1_0
 L before0_3_0_2
 L after0_3_0_2
 L before3_0_2_0
 L after3_0_2_0
 G job0
 G machine0
 L before1_1_1_0
 L after1_1_1_0
 L before1_1_0_1
 L after1_1_0_1
 L before1_2_1_0
 L after1_2_1_0
 L before2_1_0_1
 L after2_1_0_1
 L before1_2_1_1
 L after1_2_1_1
 L before2_1_1_1
 L after2_1_1_1
 L before1_3_1_0
 L after1_3_1_0
 L before3_1_0_1
 L after3_1_0_1
 L before1_3_1_1
 L after1_3_1_1
 L before3_1_1_1
 L after3_1_1_1
 L before1_3_1_2
 L after1_3_1_2
 L before3_1_2_1
 L after3_1_2_1
 G job1
 G machine1
 L before2_1_2_0
 L after2_1_2_0
 L before1_2_0_2
 L after1_2_0_2
 L before2_2_2_0
 L after2_2_2_0
 L before2_2_0_2
 L after2_2_0_2
 L before2_2_2_1
 L after2_2_2_1
 L before2_2_1_2
 L after2_2_1_2
 L before2_3_2_0
 L after2_3_2_0
 L before3_2_0_2
 L after3_2_0_2
 L before2_3_2_1
 L after2_3_2_1
 L before3_2_1_2
 L after3_2_1_2
 L before2_3_2_2
 L after2_3_2_2
 L before3_2_2_2
 L after3_2_2_2
 G job2
 G machine2
 L before3_1_3_0
 L after3_1_3_0
 L before1_3_0_3
 L after1_3_0_3
 L before3_2_3_0
 L after3_2_3_0
 L before2_3_0_3
 L after2_3_0_3
 L before3_2_3_1
 L after3_2_3_1
 L before2_3_1_3
 L after2_3_1_3
 L before3_3_3_0
 L after3_3_3_0
 L before3_3_0_3
 L after3_3_0_3
 L before3_3_3_1
 L after3_3_3_1
 L before3_3_1_3
 L after3_3_1_3
 L before3_3_3_2
 L after3_3_3_2
 L before3_3_2_3
 L after3_3_2_3
 G job3
 G machine3
COLUMNS
 MARKER0 'MARKER' 'INTORG'
 makespan cost 1
 makespan end0_0 1
 makespan end0_1 1
 makespan end0_2 1
 makespan end0_3 1
 makespan end1_0 1
 makespan end1_1 1
 makespan end1_2 1
 makespan end1_3 1
 makespan end2_0 1
 makespan end2_1 1
 makespan end2_2 1
 makespan end2_3 1
 makespan end3_0 1
 makespan end3_1 1
 makespan end3_2 1
 makespan end3_3 1
 makespan job0 1
 makespan machine0 1
 makespan job1 1
 makespan machine1 1
 makespan job2 1
 makespan machine2 1
 makespan job3 1
 makespan machine3 1
 start0_0 end0_0 -1
 start0_0 before0_1_0_0 -1
 start0_0 after0_1_0_0 1
 start0_0 before1_0_0_0 -1
 start0_0 after1_0_0_0 1
 start0_0 before0_2_0_0 -1
 start0_0 after0_2_0_0 1
 start0_0 before2_0_0_0 -1
 start0_0 after2_0_0_0 1
 start0_0 before0_3_0_0 -1
 start0_0 after0_3_0_0 1
 start0_0 before3_0_0_0 -1
 start0_0 after3_0_0_0 1
 start0_1 end0_1 -1
 start0_1 before0_1_0_0 1
 start0_1 after0_1_0_0 -1
 start0_1 before0_2_0_1 -1
 start0_1 after0_2_0_1 1
 start0_1 before0_3_0_1 -1
 start0_1 after0_3_0_1 1
 start0_1 before1_1_0_1 -1
 start0_1 after1_1_0_1 1
 start0_1 before2_1_0_1 -1
 start0_1 after2_1_0_1 1
 start0_1 before3_1_0_1 -1
 start0_1 after3_1_0_1 1
 start0_2 end0_2 -1
 start0_2 before0_2_0_0 1
 start0_2 after0_2_0_0 -1
 start0_2 before0_2_0_1 1
 start0_2 after0_2_0_1 -1
 start0_2 before0_3_0_2 -1
 start0_2 after0_3_0_2 1
 start0_2 before1_2_0_2 -1
 start0_2 after1_2_0_2 1
 start0_2 before2_2_0_2 -1
 start0_2 after2_2_0_2 1
 start0_2 before3_2_0_2 -1
 start0_2 after3_2_0_2 1
 start0_3 end0_3 -1
 start0_3 before0_3_0_0 1
 start0_3 after0_3_0_0 -1
 start0_3 before0_3_0_1 1
 start0_3 after0_3_0_1 -1
 start0_3 before0_3_0_2 1
 start0_3 after0_3_0_2 -1
 start0_3 before1_3_0_3 -1
 start0_3 after1_3_0_3 1
 start0_3 before2_3_0_3 -1
 start0_3 after2_3_0_3 1
 start0_3 before3_3_0_3 -1
 start0_3 after3_3_0_3 1
 start1_0 end1_0 -1
 start1_0 before1_0_0_0 1
 start1_0 after1_0_0_0 -1
 start1_0 before2_0_1_0 -1
 start1_0 after2_0_1_0 1
 start1_0 before3_0_1_0 -1
 start1_0 after3_0_1_0 1
 start1_0 before1_1_1_0 -1
 start1_0 after1_1_1_0 1
 start1_0 before1_2_1_0 -1
 start1_0 after1_2_1_0 1
 start1_0 before1_3_1_0 -1
 start1_0 after1_3_1_0 1
 start1_1 end1_1 -1
 start1_1 before1_1_1_0 1
 start1_1 after1_1_1_0 -1
 start1_1 before1_1_0_1 1
 start1_1 after1_1_0_1 -1
 start1_1 before1_2_1_1 -1
 start1_1 after1_2_1_1 1
 start1_1 before2_1_1_1 -1
 start1_1 after2_1_1_1 1
 start1_1 before1_3_1_1 -1
 start1_1 after1_3_1_1 1
 start1_1 before3_1_1_1 -1
 start1_1 after3_1_1_1 1
 start1_2 end1_2 -1
 start1_2 before1_2_1_0 1
 start1_2 after1_2_1_0 -1
 start1_2 before1_2_1_1 1
 start1_2 after1_2_1_1 -1
 start1_2 before1_3_1_2 -1
 start1_2 after1_3_1_2 1
 start1_2 before1_2_0_2 1
 start1_2 after1_2_0_2 -1
 start1_2 before2_2_1_2 -1
 start1_2 after2_2_1_2 1
 start1_2 before3_2_1_2 -1
 start1_2 after3_2_1_2 1
 start1_3 end1_3 -1
 start1_3 before1_3_1_0 1
 start1_3 after1_3_1_0 -1
 start1_3 before1_3_1_1 1
 start1_3 after1_3_1_1 -1
 start1_3 before1_3_1_2 1
 start1_3 after1_3_1_2 -1
 start1_3 before1_3_0_3 1
 start1_3 after1_3_0_3 -1
 start1_3 before2_3_1_3 -1
 start1_3 after2_3_1_3 1
 start1_3 before3_3_1_3 -1
 start1_3 after3_3_1_3 1
 start2_0 end2_0 -1
 start2_0 before2_0_0_0 1
 start2_0 after2_0_0_0 -1
 start2_0 before2_0_1_0 1
 start2_0 after2_0_1_0 -1
 start2_0 before3_0_2_0 -1
 start2_0 after3_0_2_0 1
 start2_0 before2_1_2_0 -1
 start2_0 after2_1_2_0 1
 start2_0 before2_2_2_0 -1
 start2_0 after2_2_2_0 1
 start2_0 before2_3_2_0 -1
 start2_0 after2_3_2_0 1
 start2_1 end2_1 -1
 start2_1 before2_1_0_1 1
 start2_1 after2_1_0_1 -1
 start2_1 before2_1_1_1 1
 start2_1 after2_1_1_1 -1
 start2_1 before3_1_2_1 -1
 start2_1 after3_1_2_1 1
 start2_1 before2_1_2_0 1
 start2_1 after2_1_2_0 -1
 start2_1 before2_2_2_1 -1
 start2_1 after2_2_2_1 1
 start2_1 before2_3_2_1 -1
 start2_1 after2_3_2_1 1
 start2_2 end2_2 -1
 start2_2 before2_2_2_0 1
 start2_2 after2_2_2_0 -1
 start2_2 before2_2_0_2 1
 start2_2 after2_2_0_2 -1
 start2_2 before2_2_2_1 1
 start2_2 after2_2_2_1 -1
 start2_2 before2_2_1_2 1
 start2_2 after2_2_1_2 -1
 start2_2 before2_3_2_2 -1
 start2_2 after2_3_2_2 1
 start2_2 before3_2_2_2 -1
 start2_2 after3_2_2_2 1
 start2_3 end2_3 -1
 start2_3 before2_3_2_0 1
 start2_3 after2_3_2_0 -1
 start2_3 before2_3_2_1 1
 start2_3 after2_3_2_1 -1
 start2_3 before2_3_2_2 1
 start2_3 after2_3_2_2 -1
 start2_3 before2_3_0_3 1
 start2_3 after2_3_0_3 -1
 start2_3 before2_3_1_3 1
 start2_3 after2_3_1_3 -1
 start2_3 before3_3_2_3 -1
 start2_3 after3_3_2_3 1
 start3_0 end3_0 -1
 start3_0 before3_0_0_0 1
 start3_0 after3_0_0_0 -1
 start3_0 before3_0_1_0 1
 start3_0 after3_0_1_0 -1
 start3_0 before3_0_2_0 1
 start3_0 after3_0_2_0 -1
 start3_0 before3_1_3_0 -1
 start3_0 after3_1_3_0 1
 start3_0 before3_2_3_0 -1
 start3_0 after3_2_3_0 1
 start3_0 before3_3_3_0 -1
 start3_0 after3_3_3_0 1
 start3_1 end3_1 -1
 start3_1 before3_1_0_1 1
 start3_1 after3_1_0_1 -1
 start3_1 before3_1_1_1 1
 start3_1 after3_1_1_1 -1
 start3_1 before3_1_2_1 1
 start3_1 after3_1_2_1 -1
 start3_1 before3_1_3_0 1
 start3_1 after3_1_3_0 -1
 start3_1 before3_2_3_1 -1
 start3_1 after3_2_3_1 1
 start3_1 before3_3_3_1 -1
 start3_1 after3_3_3_1 1
 start3_2 end3_2 -1
 start3_2 before3_2_0_2 1
 start3_2 after3_2_0_2 -1
 start3_2 before3_2_1_2 1
 start3_2 after3_2_1_2 -1
 start3_2 before3_2_2_2 1
 start3_2 after3_2_2_2 -1
 start3_2 before3_2_3_0 1
 start3_2 after3_2_3_0 -1
 start3_2 before3_2_3_1 1
 start3_2 after3_2_3_1 -1
 start3_2 before3_3_3_2 -1
 start3_2 after3_3_3_2 1
 start3_3 end3_3 -1
 start3_3 before3_3_3_0 1
 start3_3 after3_3_3_0 -1
 start3_3 before3_3_0_3 1
 start3_3 after3_3_0_3 -1
 start3_3 before3_3_3_1 1
 start3_3 after3_3_3_1 -1
 start3_3 before3_3_1_3 1
 start3_3 after3_3_1_3 -1
 start3_3 before3_3_3_2 1
 start3_3 after3_3_3_2 -1
 start3_3 before3_3_2_3 1
 start3_3 after3_3_2_3 -1
 first0_1_0_0 before0_1_0_0 250
 first0_1_0_0 after0_1_0_0 -250
 first1_0_0_0 before1_0_0_0 250
 first1_0_0_0 after1_0_0_0 -250
 first0_2_0_0 before0_2_0_0 250
 first0_2_0_0 after0_2_0_0 -250
 first2_0_0_0 before2_0_0_0 250
 first2_0_0_0 after2_0_0_0 -250
 first0_2_0_1 before0_2_0_1 250
 first0_2_0_1 after0_2_0_1 -250
 first2_0_1_0 before2_0_1_0 250
 first2_0_1_0 after2_0_1_0 -250
 first0_3_0_0 before0_3_0_0 250
 first0_3_0_0 after0_3_0_0 -250
 first3_0_0_0 before3_0_0_0 250
 first3_0_0_0 after3_0_0_0 -250
 first0_3_0_1 before0_3_0_1 250
 first0_3_0_1 after0_3_0_1 -250
 first3_0_1_0 before3_0_1_0 250
 first3_0_1_0 after3_0_1_0 -250
 first0_3_0_2 before0_3_0_2 250
 first0_3_0_2 after0_3_0_2 -250
 first3_0_2_0 before3_0_2_0 250
 first3_0_2_0 after3_0_2_0 -250
 first1_1_1_0 before1_1_1_0 250
 first1_1_1_0 after1_1_1_0 -250
 first1_1_0_1 before1_1_0_1 250
 first1_1_0_1 after1_1_0_1 -250
 first1_2_1_0 before1_2_1_0 250
 first1_2_1_0 after1_2_1_0 -250
 first2_1_0_1 before2_1_0_1 250
 first2_1_0_1 after2_1_0_1 -250
 first1_2_1_1 before1_2_1_1 250
 first1_2_1_1 after1_2_1_1 -250
 first2_1_1_1 before2_1_1_1 250
 first2_1_1_1 after2_1_1_1 -250
 first1_3_1_0 before1_3_1_0 250
 first1_3_1_0 after1_3_1_0 -250
 first3_1_0_1 before3_1_0_1 250
 first3_1_0_1 after3_1_0_1 -250
 first1_3_1_1 before1_3_1_1 250
 first1_3_1_1 after1_3_1_1 -250
 first3_1_1_1 before3_1_1_1 250
 first3_1_1_1 after3_1_1_1 -250
 first1_3_1_2 before1_3_1_2 250
 first1_3_1_2 after1_3_1_2 -250
 first3_1_2_1 before3_1_2_1 250
 first3_1_2_1 after3_1_2_1 -250
 first2_1_2_0 before2_1_2_0 250
 first2_1_2_0 after2_1_2_0 -250
 first1_2_0_2 before1_2_0_2 250
 first1_2_0_2 after1_2_0_2 -250
 first2_2_2_0 before2_2_2_0 250
 first2_2_2_0 after2_2_2_0 -250
 first2_2_0_2 before2_2_0_2 250
 first2_2_0_2 after2_2_0_2 -250
 first2_2_2_1 before2_2_2_1 250
 first2_2_2_1 after2_2_2_1 -250
 first2_2_1_2 before2_2_1_2 250
 first2_2_1_2 after2_2_1_2 -250
 first2_3_2_0 before2_3_2_0 250
 first2_3_2_0 after2_3_2_0 -250
 first3_2_0_2 before3_2_0_2 250
 first3_2_0_2 after3_2_0_2 -250
 first2_3_2_1 before2_3_2_1 250
 first2_3_2_1 after2_3_2_1 -250
 first3_2_1_2 before3_2_1_2 250
 first3_2_1_2 after3_2_1_2 -250
 first2_3_2_2 before2_3_2_2 250
 first2_3_2_2 after2_3_2_2 -250
 first3_2_2_2 before3_2_2_2 250
 first3_2_2_2 after3_2_2_2 -250
 first3_1_3_0 before3_1_3_0 250
 first3_1_3_0 after3_1_3_0 -250
 first1_3_0_3 before1_3_0_3 250
 first1_3_0_3 after1_3_0_3 -250
 first3_2_3_0 before3_2_3_0 250
 first3_2_3_0 after3_2_3_0 -250
 first2_3_0_3 before2_3_0_3 250
 first2_3_0_3 after2_3_0_3 -250
 first3_2_3_1 before3_2_3_1 250
 first3_2_3_1 after3_2_3_1 -250
 first2_3_1_3 before2_3_1_3 250
 first2_3_1_3 after2_3_1_3 -250
 first3_3_3_0 before3_3_3_0 250
 first3_3_3_0 after3_3_3_0 -250
 first3_3_0_3 before3_3_0_3 250
 first3_3_0_3 after3_3_0_3 -250
 first3_3_3_1 before3_3_3_1 250
 first3_3_3_1 after3_3_3_1 -250
 first3_3_1_3 before3_3_1_3 250
 first3_3_1_3 after3_3_1_3 -250
 first3_3_3_2 before3_3_3_2 250
 first3_3_3_2 after3_3_3_2 -250
 first3_3_2_3 before3_3_2_3 250
 first3_3_2_3 after3_3_2_3 -250
 MARKER1 'MARKER' 'INTEND'
RHS
 RHS end0_0 34
 RHS end0_1 2
 RHS end0_2 54
 RHS end0_3 61
 RHS end1_0 15
 RHS end1_1 89
 RHS end1_2 70
 RHS end1_3 9
 RHS end2_0 38
 RHS end2_1 19
 RHS end2_2 28
 RHS end2_3 87
 RHS end3_0 95
 RHS end3_1 7
 RHS end3_2 34
 RHS end3_3 29
 RHS before0_1_0_0 248
 RHS after0_1_0_0 -34
 RHS before1_0_0_0 235
 RHS after1_0_0_0 -34
 RHS before0_2_0_0 196
 RHS after0_2_0_0 -34
 RHS before2_0_0_0 212
 RHS after2_0_0_0 -34
 RHS before0_2_0_1 196
 RHS after0_2_0_1 -2
 RHS before2_0_1_0 212
 RHS after2_0_1_0 -15
 RHS before0_3_0_0 189
 RHS after0_3_0_0 -34
 RHS before3_0_0_0 155
 RHS after3_0_0_0 -34
 RHS before0_3_0_1 189
 RHS after0_3_0_1 -2
 RHS before3_0_1_0 155
 RHS after3_0_1_0 -15
 RHS before0_3_0_2 189
 RHS after0_3_0_2 -54
 RHS before3_0_2_0 155
 RHS after3_0_2_0 -38
 RHS job0 151
 RHS machine0 182
 RHS before1_1_1_0 161
 RHS after1_1_1_0 -15
 RHS before1_1_0_1 161
 RHS after1_1_0_1 -2
 RHS before1_2_1_0 180
 RHS after1_2_1_0 -15
 RHS before2_1_0_1 231
 RHS after2_1_0_1 -2
 RHS before1_2_1_1 180
 RHS after1_2_1_1 -89
 RHS before2_1_1_1 231
 RHS after2_1_1_1 -89
 RHS before1_3_1_0 241
 RHS after1_3_1_0 -15
 RHS before3_1_0_1 243
 RHS after3_1_0_1 -2
 RHS before1_3_1_1 241
 RHS after1_3_1_1 -89
 RHS before3_1_1_1 243
 RHS after3_1_1_1 -89
 RHS before1_3_1_2 241
 RHS after1_3_1_2 -70
 RHS before3_1_2_1 243
 RHS after3_1_2_1 -19
 RHS job1 183
 RHS machine1 117
 RHS before2_1_2_0 231
 RHS after2_1_2_0 -38
 RHS before1_2_0_2 180
 RHS after1_2_0_2 -54
 RHS before2_2_2_0 222
 RHS after2_2_2_0 -38
 RHS before2_2_0_2 222
 RHS after2_2_0_2 -54
 RHS before2_2_2_1 222
 RHS after2_2_2_1 -19
 RHS before2_2_1_2 222
 RHS after2_2_1_2 -70
 RHS before2_3_2_0 163
 RHS after2_3_2_0 -38
 RHS before3_2_0_2 216
 RHS after3_2_0_2 -54
 RHS before2_3_2_1 163
 RHS after2_3_2_1 -19
 RHS before3_2_1_2 216
 RHS after3_2_1_2 -70
 RHS before2_3_2_2 163
 RHS after2_3_2_2 -28
 RHS before3_2_2_2 216
 RHS after3_2_2_2 -28
 RHS job2 172
 RHS machine2 186
 RHS before3_1_3_0 243
 RHS after3_1_3_0 -95
 RHS before1_3_0_3 241
 RHS after1_3_0_3 -61
 RHS before3_2_3_0 216
 RHS after3_2_3_0 -95
 RHS before2_3_0_3 163
 RHS after2_3_0_3 -61
 RHS before3_2_3_1 216
 RHS after3_2_3_1 -7
 RHS before2_3_1_3 163
 RHS after2_3_1_3 -9
 RHS before3_3_3_0 221
 RHS after3_3_3_0 -95
 RHS before3_3_0_3 221
 RHS after3_3_0_3 -61
 RHS before3_3_3_1 221
 RHS after3_3_3_1 -7
 RHS before3_3_1_3 221
 RHS after3_3_1_3 -9
 RHS before3_3_3_2 221
 RHS after3_3_3_2 -34
 RHS before3_3_2_3 221
 RHS after3_3_2_3 -87
 RHS job3 165
 RHS machine3 186
BOUNDS
 LO BND makespan 0
 UP BND makespan 250
 LO BND start0_0 0
 UP BND start0_0 216
 LO BND start0_1 0
 UP BND start0_1 248
 LO BND start0_2 0
 UP BND start0_2 196
 LO BND start0_3 0
 UP BND start0_3 189
 LO BND start1_0 0
 UP BND start1_0 235
 LO BND start1_1 0
 UP BND start1_1 161
 LO BND start1_2 0
 UP BND start1_2 180
 LO BND start1_3 0
 UP BND start1_3 241
 LO BND start2_0 0
 UP BND start2_0 212
 LO BND start2_1 0
 UP BND start2_1 231
 LO BND start2_2 0
 UP BND start2_2 222
 LO BND start2_3 0
 UP BND start2_3 163
 LO BND start3_0 0
 UP BND start3_0 155
 LO BND start3_1 0
 UP BND start3_1 243
 LO BND start3_2 0
 UP BND start3_2 216
 LO BND start3_3 0
 UP BND start3_3 221
 BV BND first0_1_0_0
 BV BND first1_0_0_0
 BV BND first0_2_0_0
 BV BND first2_0_0_0
 BV BND first0_2_0_1
 BV BND first2_0_1_0
 BV BND first0_3_0_0
 BV BND first3_0_0_0
 BV BND first0_3_0_1
 BV BND first3_0_1_0
 BV BND first0_3_0_2
 BV BND first3_0_2_0
 BV BND first1_1_1_0
 BV BND first1_1_0_1
 BV BND first1_2_1_0
 BV BND first2_1_0_1
 BV BND first1_2_1_1
 BV BND first2_1_1_1
 BV BND first1_3_1_0
 BV BND first3_1_0_1
 BV BND first1_3_1_1
 BV BND first3_1_1_1
 BV BND first1_3_1_2
 BV BND first3_1_2_1
 BV BND first2_1_2_0
 BV BND first1_2_0_2
 BV BND first2_2_2_0
 BV BND first2_2_0_2
 BV BND first2_2_2_1
 BV BND first2_2_1_2
 BV BND first2_3_2_0
 BV BND first3_2_0_2
 BV BND first2_3_2_1
 BV BND first3_2_1_2
 BV BND first2_3_2_2
 BV BND first3_2_2_2
 BV BND first3_1_3_0
 BV BND first1_3_0_3
 BV BND first3_2_3_0
 BV BND first2_3_0_3
 BV BND first3_2_3_1
 BV BND first2_3_1_3
 BV BND first3_3_3_0
 BV BND first3_3_0_3
 BV BND first3_3_3_1
 BV BND first3_3_1_3
 BV BND first3_3_3_2
 BV BND first3_3_2_3
ENDATA
