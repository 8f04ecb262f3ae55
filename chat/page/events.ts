export interface ServerEvent {
  readonly type: string;
  readonly data: string;
}

/** Puts server-sent events together from pieces of text that end anywhere. */
export class EventParser {
  private rest = '';

  push(text: string): ServerEvent[] {
    const blocks = (this.rest + text).split(/\r?\n\r?\n/);
    this.rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      let type = 'message';
      const data: string[] = [];
      for (const line of block.split(/\r?\n/)) {
        const [, field, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
        if (field === 'event') type = value ?? type;
        if (field === 'data') data.push(value ?? '');
      }
      // Comments, the server's pings, have no data.
      return data.length > 0 ? [{ type, data: data.join('\n') }] : [];
    });
  }
}
