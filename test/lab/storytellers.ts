import { smallGroup } from './small-group';

/** What of vLLM a drill meets: /health, and completions that come as a stream, twenty tokens a second, on rank 0. */
const TELL = `
import http.server, json, os, time
class Tale(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def log_message(self, *args): pass
    def answer(self, body):
        self.send_response(200)
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        self.answer(b'{"version": "0.31.0"}' if self.path == '/version' else b'{}')
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers['content-length'])))
        self.send_response(200)
        self.send_header('connection', 'close')
        self.end_headers()
        for i in range(asked['max_tokens']):
            self.wfile.write(b'data: {"choices":[{"text":" word"}]}\\n\\n')
            self.wfile.flush()
            time.sleep(0.05)
        self.wfile.write(b'data: [DONE]\\n\\n')
        self.close_connection = True
if os.environ.get('LWS_WORKER_INDEX', '0') == '0':
    http.server.ThreadingHTTPServer(('', 8000), Tale).serve_forever()
while True:
    time.sleep(1)
`;
/** A `vllm` of its own. Its shell ends at once when it is told to, as the program under test does. */
const script = (nnodes: number): string =>
  [
    `cat > /tmp/tell.py <<'END'${TELL}END`,
    `printf '#!/bin/sh\\nexec python3 /tmp/tell.py\\n' > /tmp/vllm`,
    `chmod +x /tmp/vllm; PATH=/tmp:$PATH`,
    `trap 'kill $!; exit 0' TERM; vllm serve lab/teller --nnodes ${nnodes} & wait`,
  ].join('\n');

const IMAGE = 'docker.io/vllm/vllm-openai-cpu:v0.31.0-arm64';

const template = (nnodes: number, role: string) => ({
  metadata: { labels: { app: 'teller', role } },
  spec: {
    terminationGracePeriodSeconds: 2,
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 100,
            podAffinityTerm: {
              labelSelector: { matchLabels: { app: 'teller' } },
              topologyKey: 'kubernetes.io/hostname',
            },
          },
        ],
      },
    },
    containers: [
      {
        name: 'vllm',
        image: IMAGE,
        command: ['sh', '-c', script(nnodes)],
        ...(role === 'leader' && { readinessProbe: { httpGet: { path: '/health', port: 8000 }, periodSeconds: 1 } }),
        resources: { requests: { cpu: '50m', memory: '32Mi' }, limits: { memory: '128Mi' } },
      },
    ],
  },
});

/** Groups of two that serve nothing but words. */
export function storytellers(namespace: string, replicas = 1): object[] {
  return smallGroup(namespace, 'teller', (role) => template(2, role), replicas);
}

/** As many pods that do so alone. */
export function loneStorytellers(namespace: string, replicas: number): object[] {
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'teller', namespace },
      spec: {
        replicas,
        selector: { matchLabels: { app: 'teller' } },
        template: template(1, 'leader'),
      },
    },
  ];
}
