package child

import "syscall"

// endsWithUs has the kernel kill a program when the thread that started it is gone.
func endsWithUs(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
