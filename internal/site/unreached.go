package site

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"syscall"
)

// unreached says why there was no answer. Errors of package http quote what the server sent, so only known causes are
// named.
func unreached(err error) string {
	var dns *net.DNSError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var system syscall.Errno
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "it gave no answer in time"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it broke the connection off"
	case errors.As(err, &dns):
		return "there is no host " + strconv.Quote(dns.Name)
	case errors.As(err, &authority):
		return "its certificate is signed by an authority that this machine does not know"
	case errors.As(err, &name), errors.As(err, &invalid):
		return "its certificate is not valid for it"
	case errors.As(err, &record):
		return "it does not speak TLS"
	case errors.As(err, &system):
		return system.Error()
	}
	return "it gave no answer that is HTTP"
}
