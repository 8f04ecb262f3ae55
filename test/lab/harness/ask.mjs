// One question over HTTP: JSON on standard input, the answer as JSON on standard output.
import { text } from 'node:stream/consumers';

const { url, headers = {}, body, seconds = 120 } = JSON.parse(await text(process.stdin));
try {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(seconds * 1000),
  });
  console.log(JSON.stringify({ status: response.status, text: await response.text() }));
} catch (error) {
  console.log(JSON.stringify({ status: 0, text: String(error.cause ?? error) }));
}
