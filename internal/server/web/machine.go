package web

import (
	"net/http"

	"tasker/internal/reading"
)

// machineBody is who works on what.
type machineBody struct {
	reading.MachineOut
	List []worker
}

func (s *site) machine(r *http.Request, p *shown) error {
	p.Title = "Workers"
	a := s.asker(r)
	var body machineBody
	body.List, body.MachineOut = s.workers(a, p, a.project())
	p.Body = body
	return a.err
}
