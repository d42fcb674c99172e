package web

import "tasker/internal/views/reading"

// machineBody is who works on what.
type machineBody struct {
	reading.MachineOut
	List []worker
}

func (s *site) machine(a *asker, p *shown) any {
	list, machine := s.workers(a, p, a.project())
	return machineBody{machine, list}
}
