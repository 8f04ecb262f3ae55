package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// writeKeys writes into DIR everything the processes of a cluster need: one CA, a
// serving certificate for 127.0.0.1 and the API server's address (for it and for
// webhooks), client certificates with their kubeconfigs, and the service-account key.
//
//	pki DIR API_ADDRESS:PORT [NODE ...]
func writeKeys(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("usage: pki DIR API_ADDRESS:PORT [NODE ...]")
	}
	dir, server := args[0], args[1]
	host, _, err := net.SplitHostPort(server)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	caTemplate := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test-cluster-ca"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(365 * 24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign | x509.KeyUsageDigitalSignature,
	}
	caDER, err := x509.CreateCertificate(rand.Reader, caTemplate, caTemplate, &caKey.PublicKey, caKey)
	if err != nil {
		return err
	}
	caCert, err := x509.ParseCertificate(caDER)
	if err != nil {
		return err
	}
	caPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: caDER})
	write := func(name string, data []byte) error {
		return os.WriteFile(filepath.Join(dir, name), data, 0o600)
	}
	keyPEM := func(k *ecdsa.PrivateKey) ([]byte, error) {
		der, err := x509.MarshalPKCS8PrivateKey(k)
		return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), err
	}
	if err := write("ca.crt", caPEM); err != nil {
		return err
	}
	caKeyPEM, err := keyPEM(caKey)
	if err != nil {
		return err
	}
	if err := write("ca.key", caKeyPEM); err != nil {
		return err
	}
	serial := int64(1)
	issue := func(file string, subject pkix.Name, server bool) (certPEM, key []byte, err error) {
		serial++
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return nil, nil, err
		}
		t := &x509.Certificate{
			SerialNumber: big.NewInt(serial), Subject: subject,
			NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(365 * 24 * time.Hour),
			KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		}
		if server {
			t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
			t.DNSNames = []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"}
			t.IPAddresses = []net.IP{net.ParseIP("127.0.0.1"), net.ParseIP(host), net.ParseIP("10.96.0.1")}
		}
		der, err := x509.CreateCertificate(rand.Reader, t, caCert, &k.PublicKey, caKey)
		if err != nil {
			return nil, nil, err
		}
		certPEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
		if key, err = keyPEM(k); err != nil {
			return nil, nil, err
		}
		if err = write(file+".crt", certPEM); err != nil {
			return nil, nil, err
		}
		return certPEM, key, write(file+".key", key)
	}
	// The serving pair has the names that controller-runtime's webhook server looks for.
	if _, _, err := issue("tls", pkix.Name{CommonName: "127.0.0.1"}, true); err != nil {
		return err
	}
	// By it the API server calls kubelets.
	caller := pkix.Name{CommonName: "kube-apiserver", Organization: []string{"system:masters"}}
	if _, _, err := issue("apiserver-kubelet", caller, false); err != nil {
		return err
	}
	type client struct {
		file    string
		subject pkix.Name
	}
	clients := []client{
		{"admin", pkix.Name{CommonName: "admin", Organization: []string{"system:masters"}}},
		{"kube-controller-manager", pkix.Name{CommonName: "system:kube-controller-manager"}},
		{"kube-scheduler", pkix.Name{CommonName: "system:kube-scheduler"}},
		{"kube-proxy", pkix.Name{CommonName: "system:kube-proxy"}},
	}
	for _, node := range args[2:] {
		name := pkix.Name{CommonName: "system:node:" + node, Organization: []string{"system:nodes"}}
		clients = append(clients, client{node, name})
	}
	for _, c := range clients {
		cert, key, err := issue(c.file, c.subject, false)
		if err != nil {
			return err
		}
		b64 := base64.StdEncoding.EncodeToString
		config := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: c
clusters: [{name: c, cluster: {server: "https://%s", certificate-authority-data: %s}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
users: [{name: u, user: {client-certificate-data: %s, client-key-data: %s}}]
`, server, b64(caPEM), b64(cert), b64(key))
		if err := write(c.file+".kubeconfig", []byte(config)); err != nil {
			return err
		}
	}
	sa, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	saDER, err := x509.MarshalPKCS8PrivateKey(sa)
	if err != nil {
		return err
	}
	return write("sa.key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: saDER}))
}
