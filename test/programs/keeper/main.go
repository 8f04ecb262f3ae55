// Starts the processes of one test cluster and answers for their end: when its standard input closes, which it does
// however the test run ends, and at every signal that can be caught, it kills them all and removes their folder. Should
// it be killed itself, the kernel kills them.
//
//	keeper PARENT   makes a folder in PARENT and prints {"folder"}
//
// Each line on standard input asks for a process: {"name", "argv", "log", "env"}. What comes of it is a line on standard
// output: {"name", "pid"}, then {"name", "exit"} when it ends, or {"name", "error"}.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
)

type order struct {
	Name string   `json:"name"`
	Argv []string `json:"argv"`
	Log  string   `json:"log"`
	Env  []string `json:"env"`
}

type answer struct {
	Folder string `json:"folder,omitempty"`
	Name   string `json:"name,omitempty"`
	Pid    int    `json:"pid,omitempty"`
	Exit   string `json:"exit,omitempty"`
	Error  string `json:"error,omitempty"`
}

var printing sync.Mutex

func say(a answer) {
	printing.Lock()
	defer printing.Unlock()
	// Nobody may be listening any more.
	_ = json.NewEncoder(os.Stdout).Encode(a)
}

// The kernel kills a process whose parent's thread ends, so every one is started by the thread that stays.
func init() { runtime.LockOSThread() }

func main() {
	signal.Ignore(syscall.SIGPIPE)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: keeper PARENT")
		os.Exit(2)
	}
	folder, err := os.MkdirTemp(os.Args[1], "test-cluster-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "keeper:", err)
		os.Exit(1)
	}
	say(answer{Folder: folder})

	orders := make(chan order)
	go read(orders)
	kept := &processes{}
	for running := true; running; {
		select {
		case <-stop:
			running = false
		case o, open := <-orders:
			if running = open; open {
				kept.start(o)
			}
		}
	}
	kept.end()
	if err := os.RemoveAll(folder); err != nil {
		fmt.Fprintln(os.Stderr, "keeper:", err)
		os.Exit(1)
	}
}

func read(orders chan<- order) {
	defer close(orders)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var o order
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil || len(o.Argv) == 0 {
			say(answer{Error: fmt.Sprintf("not an order: %s", lines.Text())})
			continue
		}
		orders <- o
	}
}

type processes struct {
	all     []*os.Process
	waiting sync.WaitGroup
}

func (p *processes) start(o order) {
	log, err := os.OpenFile(o.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		say(answer{Name: o.Name, Error: err.Error()})
		return
	}
	defer log.Close()
	command := exec.Command(o.Argv[0], o.Argv[1:]...)
	command.Stdout, command.Stderr = log, log
	command.Env = append(os.Environ(), o.Env...)
	// A group of its own, so that Ctrl-C in the terminal reaches the test run alone.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := command.Start(); err != nil {
		say(answer{Name: o.Name, Error: err.Error()})
		return
	}
	p.all = append(p.all, command.Process)
	say(answer{Name: o.Name, Pid: command.Process.Pid})
	p.waiting.Add(1)
	go func() {
		defer p.waiting.Done()
		_ = command.Wait()
		say(answer{Name: o.Name, Exit: command.ProcessState.String()})
	}()
}

// end kills at once: what the processes hold is thrown away with the folder.
func (p *processes) end() {
	for _, process := range p.all {
		_ = process.Kill()
	}
	p.waiting.Wait()
}
