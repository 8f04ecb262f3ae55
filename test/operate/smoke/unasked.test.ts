import { expect, test } from 'vitest';
import { noAnswer, noModel } from '../../../src/operate/smoke/unasked';

test.each([
  ['https://x', 'self-signed certificate', 'self-signed certificate; NODE_EXTRA_CA_CERTS takes a file'],
  [
    'https://x',
    "Hostname/IP does not match certificate's altnames: IP: 10.0.0.1",
    '; ask by a name that the certificate has',
  ],
  [
    'https://x',
    'write EPROTO 80:error:\n  wrong version number:\n',
    'number:; does that port speak TLS, or is it http://?',
  ],
  ['http://x', 'socket hang up', 'socket hang up; is it https://?'],
  ['https://x', 'socket hang up', 'https://x does not answer: socket hang up'],
  ['the leader', 'connect ECONNREFUSED 127.0.0.1:1', 'the leader does not answer: connect ECONNREFUSED 127.0.0.1:1'],
])('%s that does not answer: %s', (where, why, said) => {
  expect(noAnswer(where, why)).toContain(said);
  expect(noAnswer(where, why)).not.toContain('\n');
});

test.each([
  [200, '<h1>Welcome\n to nginx</h1>', '200 (<h1>Welcome to nginx</h1>); that is no list of models: is a vLLM there?'],
  [301, '', '301; it leads elsewhere, and is not followed: give the address that it leads to'],
  [404, '{"detail":"Not Found"}', '404 ({"detail":"Not Found"}); is a vLLM there? --model asks for one all the same'],
])('status %i in place of the models', (status, text, said) => {
  expect(noModel('http://x', { status, text, names: [] })).toContain(
    `which model? http://x answers /v1/models with ${said}`,
  );
});
