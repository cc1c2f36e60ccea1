NAME knapsack FREE
ROWS
 N cost
 L capacity
COLUMNS
 MARKER0 'MARKER' 'INTORG'
 take1 cost -135
 take1 capacity 70
 take2 cost -139
 take2 capacity 73
 take3 cost -149
 take3 capacity 77
 take4 cost -150
 take4 capacity 80
 take5 cost -156
 take5 capacity 82
 take6 cost -163
 take6 capacity 87
 take7 cost -173
 take7 capacity 90
 take8 cost -184
 take8 capacity 94
 take9 cost -192
 take9 capacity 98
 take10 cost -201
 take10 capacity 106
 take11 cost -210
 take11 capacity 110
 take12 cost -214
 take12 capacity 113
 take13 cost -221
 take13 capacity 115
 take14 cost -229
 take14 capacity 118
 take15 cost -240
 take15 capacity 120
 MARKER1 'MARKER' 'INTEND'
RHS
 RHS capacity 750
BOUNDS
 BV BND take1
 BV BND take2
 BV BND take3
 BV BND take4
 BV BND take5
 BV BND take6
 BV BND take7
 BV BND take8
 BV BND take9
 BV BND take10
 BV BND take11
 BV BND take12
 BV BND take13
 BV BND take14
 BV BND take15
ENDATA
