import type { Terminal } from '../terminal';

const SIGNALS = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;

/** Does something that AWS goes on with when this program ends, and says so when it is ended. */
export async function tellingWhenEnded<T>(terminal: Terminal, action: string, run: () => Promise<T>): Promise<T> {
  const handlers = Object.entries(SIGNALS).map(([signal, number]) => {
    const end = (): void => {
      terminal.error(
        `\ncdk8s-vllm: ended by ${signal}; AWS goes on with what was begun.\nRun \`bootstrap ${action}\` again, and it goes on from there.\n`,
      );
      process.exit(128 + number);
    };
    process.once(signal, end);
    return [signal, end] as const;
  });
  try {
    return await run();
  } finally {
    handlers.forEach(([signal, end]) => process.off(signal, end));
  }
}
