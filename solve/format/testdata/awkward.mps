NAME a_model FREE
ROWS
 N cost
 L cost~2
 G link.to(a,b)
 L empty
 L _e1
COLUMNS
 MARKER0 'MARKER' 'INTORG'
 x_one cost 4
 x_one cost~2 2
 y cost -6
 y cost~2 3
 y link.to(a,b) 1
 MARKER1 'MARKER' 'INTEND'
 z cost~2 1
 z link.to(a,b) 2
 z _e1 1
 MARKER2 'MARKER' 'INTORG'
 unused cost 0
 fixed cost 3
 constant~2 cost -3
 MARKER3 'MARKER' 'INTEND'
 constant cost -10
RHS
 RHS cost~2 7
 RHS link.to(a,b) 1
 RHS empty 1
 RHS _e1 10
BOUNDS
 BV BND x_one
 LO BND y -3
 UP BND y 5
 LO BND z 0
 UP BND z 10
 BV BND unused
 FX BND fixed -2
 LO BND constant~2 -8
 UP BND constant~2 -2
 FX BND constant 1
ENDATA
