import { main } from './main';

// A reader that has seen enough (`| head`) closes the pipe: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') {
    throw error;
  }
  process.exit();
});

void main(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
  colour: process.stdout.isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb',
}).then((code) => {
  process.exitCode = code;
});
