// Copyright someone.

// Package server does things.
package server

import (
	"fmt"
	str "strings"
	. "math"
	_ "embed"
)

// MaxSize is a limit.
const MaxSize = 3

const (
	// A is first.
	A Mode = iota
	B
)

var global, other = newClient(), 1

// Server serves.
//
//go:generate stringer
type Server struct {
	*Base
	io.Reader
	Name, Other string `json:"name"`
	client *Client
}

type (
	// Runner runs.
	Runner interface {
		fmt.Stringer
		Run(ctx context.Context) error
	}
	Mode int
	Pair[K comparable, V any] struct{ Key K }
)

type Alias = Server

// Run runs it.
func (s *Server) Run(r *http.Request) (*Response, error) {
	s.client.Send(r, func() { done() })
	x := Pair[string, int]{Key: "x"}
	y := &other.Thing{}
	Map[int](x)
	const local = 1
	return fmt.Errorf("x"), nil
}

func (p Pair[K, V]) Get() V { return p.v }

func New() *Server { return &Server{} }
