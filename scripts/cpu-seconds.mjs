import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { clearInterval, setInterval } from 'node:timers';

/** Ticks of /proc/PID/stat in a second, on every Linux that Node runs on. */
const TICKS = 100;

function read(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function processes() {
  return readdirSync('/proc').flatMap((name) => {
    const stat = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : '';
    // The name of a program may hold blanks and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [parent, own, system, started] = [1, 11, 12, 19].map((at) => Number(fields[at]));
    return stat === ''
      ? []
      : [{ pid: Number(name), parent, seconds: (own + system) / TICKS, key: `${name} ${started}` }];
  });
}

/**
 * CPU seconds of everything below this process. What a parent is told of its children is too little: ranks are ended by the
 * kernel with their namespace, and nobody waits for them. So each process is looked at five times a second.
 */
export class CpuSeconds {
  #seen = new Map();
  #timer = setInterval(() => this.#look(), 200);

  /** Seconds until now. */
  get total() {
    this.#look();
    return [...this.#seen.values()].reduce((sum, seconds) => sum + seconds, 0);
  }

  stop() {
    clearInterval(this.#timer);
  }

  #look() {
    const all = processes();
    const below = new Set([process.pid]);
    // Parents stand before or behind their children.
    for (let before = 0; before < below.size;) {
      before = below.size;
      all.filter(({ parent, key }) => below.has(parent) || this.#seen.has(key)).forEach(({ pid }) => below.add(pid));
    }
    all.filter(({ pid }) => below.has(pid)).forEach(({ key, seconds }) => this.#seen.set(key, seconds));
  }
}
