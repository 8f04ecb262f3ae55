import { createServer } from 'node:net';

/** Below the range that the kernel takes the ports of outgoing connections from. */
const FIRST = 20_000;
const PAST = 32_000;

/** As many ports of the loopback interface as are asked for, free at the moment. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = FIRST + Math.floor(Math.random() * (PAST - FIRST));
    if (!ports.has(port) && (await isFree(port))) {
      ports.add(port);
    }
  }
  return [...ports];
}

/** Whether nothing listens on a port of the loopback interface. */
export async function isFree(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(false))
      .once('listening', () => server.close(() => resolve(true)))
      .listen(port, '127.0.0.1');
  });
}
