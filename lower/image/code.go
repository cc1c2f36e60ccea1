package image

import (
	"fmt"

	"ipusolve/device"
	"ipusolve/kernels"
	"ipusolve/lower"
)

// hostMux is the source that start-up listens to while the host releases the
// tile (reference: device.md §8).
const hostMux = device.HostSource

// coder collects the words of one tile's supervisor program.
type coder struct {
	words []uint32
	err   error // the first one
}

func (c *coder) emit(list ...device.Instr) {
	for _, in := range list {
		var err error
		if c.words, err = in.Append(c.words); err != nil && c.err == nil {
			c.err = err
		}
	}
}

// put writes a constant to a special register.
func (c *coder) put(csr, value int) {
	c.emit(device.SetZI(device.RegScratch, value), device.Put(csr, device.RegScratch))
}

// code is the supervisor program of a tile; rowAt[phase] is the address of its
// row (reference: device.md §6.3–6.5, §8).
func (e *emitter) code(tile int, rowAt []uint32) ([]uint32, error) {
	c := &coder{words: make([]uint32, 0, (e.m.Code.End-e.m.Code.Start)/4)}
	if err := e.start(c); err != nil {
		return nil, err
	}
	if err := e.sample(c, device.StartCycleWord); err != nil {
		return nil, err
	}
	list := e.prog.Tiles[tile]
	loop := e.loop(tile)
	for i := range list {
		if loop != nil && i == loop.begin {
			loop.enter(c)
		}
		var err error
		if w := &list[i]; w.Kind == lower.WorkExchange {
			err = e.exchange(c, tile, w.Phase, rowAt)
		} else {
			err = e.work(c, w, loop)
		}
		if err != nil {
			return nil, fmt.Errorf("work %d: %w", i, err)
		}
		if loop != nil && i == loop.end-1 {
			loop.again(c)
		}
	}
	if err := e.sample(c, device.EndCycleWord); err != nil {
		return nil, err
	}
	completion, err := e.address(kernels.Spec{Kind: kernels.Completion})
	if err != nil {
		return nil, err
	}
	c.emit(jump(completion)...)
	return c.words, c.err
}

// jump is the unconditional jump (device.md §6.2).
func jump(addr uint32) []device.Instr {
	return []device.Instr{device.SetZI(device.M0, int(addr)), device.BR(device.M0)}
}

// start is the start code: join the other tiles, set up selectors and workers,
// wait for the host (device.md §8).
func (e *emitter) start(c *coder) error {
	startup, err := e.address(kernels.Spec{Kind: kernels.Startup})
	if err != nil {
		return err
	}
	c.emit(device.Sync(device.SyncTiles), device.Sync(device.SyncLocal))
	c.put(device.IncomingMux, device.NeutralSource)
	c.emit(device.Put(device.OutgoingBase, device.RegZero))
	for w := range device.NumWorkers {
		c.put(device.WorkerBaseCSR+w, device.WorkerBase+0x100*w)
	}
	c.emit(device.Call(device.RegLink, int(startup)), device.Sync(device.SyncLocal))
	c.put(device.IncomingMux, hostMux)
	c.emit(device.Sync(device.SyncHost))
	c.put(device.IncomingMux, device.NeutralSource)
	return nil
}

// sample stores the cycle counter.
func (e *emitter) sample(c *coder, word uint32) error {
	return e.call(c, kernels.Spec{Kind: kernels.CycleSample}, []uint32{word})
}

// work calls a routine with the arguments of a work item.
func (e *emitter) work(c *coder, w *lower.Work, l *loop) error {
	values := e.prog.ArgValues(w)
	addr, err := e.address(w.Spec)
	if err != nil {
		return err
	}
	if len(values) != w.Spec.NumArgs() {
		return fmt.Errorf("%s with %d arguments, want %d", w.Spec.Symbol(), len(values), w.Spec.NumArgs())
	}
	for i, a := range w.Args {
		if a.Item >= 0 && e.prog.Items[a.Item].Stride > 0 {
			if err := l.pointer(c, device.RegOutput+i, a); err != nil {
				return err
			}
			continue
		}
		c.words = append(c.words, device.LoadConst(device.RegOutput+i, values[i])...)
	}
	c.emit(device.Call(device.RegLink, int(addr)))
	return nil
}

// call sets the argument registers from m2 on and calls a routine.
func (e *emitter) call(c *coder, s kernels.Spec, args []uint32) error {
	addr, err := e.address(s)
	if err != nil {
		return err
	}
	if len(args) != s.NumArgs() {
		return fmt.Errorf("%s with %d arguments, want %d", s.Symbol(), len(args), s.NumArgs())
	}
	for i, v := range args {
		c.words = append(c.words, device.LoadConst(device.RegOutput+i, v)...)
	}
	c.emit(device.Call(device.RegLink, int(addr)))
	return nil
}

func (e *emitter) address(s kernels.Spec) (uint32, error) {
	addr, ok := e.symbol[s]
	if !ok {
		return 0, fmt.Errorf("%s has no address in the memory map", s.Symbol())
	}
	return addr, nil
}

// exchange is the step of one phase (device.md §6.4). Rows hold absolute
// addresses, so both bases are 0.
func (e *emitter) exchange(c *coder, tile int, phase int32, rowAt []uint32) error {
	if phase < 0 || int(phase) >= len(rowAt) {
		return fmt.Errorf("no phase %d", phase)
	}
	c.put(device.IncomingBase, 0)
	c.emit(device.Put(device.OutgoingBase, device.RegZero))
	if len(e.rows[phase][tile]) > 0 {
		barrier, err := e.address(kernels.Spec{Kind: kernels.WorkerBarrier})
		if err != nil {
			return err
		}
		c.emit(device.Call(device.RegBarrierLink, int(barrier)))
		c.put(device.IncomingDCount, 1)
		c.emit(device.Sync(device.SyncTiles))
	} else {
		c.emit(device.Sans(device.SansInternal), device.Sync(device.SyncLocal))
	}
	c.emit(device.Call(device.RegLink, int(rowAt[phase])))
	return nil
}
