// The tool from Go, with nothing but the standard library: JSON lines to and from `nacre rpc`.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
)

type Fields map[string]any

type message struct {
	Type    string          `json:"type"`
	ID      int             `json:"id"`
	Error   string          `json:"error"`
	ErrorID string          `json:"errorId"`
	Delta   string          `json:"delta"`
	Data    json.RawMessage `json:"data"`
}

type Nacre struct {
	OnDelta func(delta string)

	process *exec.Cmd
	stdin   io.WriteCloser
	lock    sync.Mutex
	nextID  int
	waiting map[int]chan message
}

func Start(command ...string) (*Nacre, error) {
	process := exec.Command(command[0], command[1:]...)
	process.Stderr = os.Stderr
	stdin, err := process.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	nacre := &Nacre{process: process, stdin: stdin, waiting: map[int]chan message{}}
	if err := process.Start(); err != nil {
		return nil, err
	}
	go nacre.read(stdout)
	return nacre, nil
}

func (nacre *Nacre) read(stdout io.Reader) {
	reader := bufio.NewReader(stdout)
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			return
		}
		var received message
		if json.Unmarshal(line, &received) != nil {
			continue
		}
		if received.Type == "bash_execution_update" && nacre.OnDelta != nil {
			nacre.OnDelta(received.Delta)
		}
		if received.Type == "response" {
			nacre.lock.Lock()
			waiting := nacre.waiting[received.ID]
			delete(nacre.waiting, received.ID)
			nacre.lock.Unlock()
			if waiting != nil {
				waiting <- received
			}
		}
	}
}

// Request sends one request and fills data with what it is answered with.
func (nacre *Nacre) Request(kind string, fields Fields, data any) error {
	answer := make(chan message, 1)
	nacre.lock.Lock()
	nacre.nextID++
	request := Fields{"id": nacre.nextID, "type": kind}
	for name, value := range fields {
		request[name] = value
	}
	nacre.waiting[nacre.nextID] = answer
	line, err := json.Marshal(request)
	if err == nil {
		_, err = nacre.stdin.Write(append(line, '\n'))
	}
	nacre.lock.Unlock()
	if err != nil {
		return err
	}
	received := <-answer
	if received.Data == nil {
		return fmt.Errorf("%s: %s", received.ErrorID, received.Error)
	}
	return json.Unmarshal(received.Data, data)
}

// Close waits until everything that was asked for is answered.
func (nacre *Nacre) Close() error {
	if err := nacre.stdin.Close(); err != nil {
		return err
	}
	return nacre.process.Wait()
}

func main() {
	command := os.Args[1:]
	if len(command) == 0 {
		command = []string{"nacre", "rpc"}
	}
	nacre, err := Start(command...)
	if err != nil {
		panic(err)
	}
	streamed := ""
	nacre.OnDelta = func(delta string) { streamed += delta }
	var result struct {
		ExitCode int  `json:"exitCode"`
		IsError  bool `json:"isError"`
	}
	if err := nacre.Request("bash", Fields{"command": "echo one; echo two; exit 3", "stream": true}, &result); err != nil {
		panic(err)
	}
	fmt.Printf("%q %d %t\n", streamed, result.ExitCode, result.IsError)
	fmt.Println(nacre.Close())
}
