import type { Served } from './ask';

/** Why a server is not there for the one who asks. */
export function noAnswer(where: string, why: string): string {
  const way = /altname/i.test(why)
    ? '; ask by a name that the certificate has'
    : /certificate/i.test(why)
      ? '; NODE_EXTRA_CA_CERTS takes a file with the certificate of who signed it'
      : /wrong version number|EPROTO/.test(why)
        ? '; does that port speak TLS, or is it http://?'
        : /hang up/.test(why) && where.startsWith('http:')
          ? '; is it https://?'
          : '';
  return `${where} does not answer: ${why.trim().replace(/\s*\n\s*/g, ' ')}${way}`;
}

/** Why there is no name of a model to ask for: what answers may be no vLLM at all. */
export function noModel(where: string, { status, text }: Served): string {
  const said = text.trim().replace(/\s+/g, ' ').slice(0, 200);
  const way =
    status >= 300 && status < 400
      ? 'it leads elsewhere, and is not followed: give the address that it leads to'
      : status === 200
        ? 'that is no list of models: is a vLLM there? --model asks for one all the same'
        : 'is a vLLM there? --model asks for one all the same';
  return `which model? ${where} answers /v1/models with ${status}${said === '' ? '' : ` (${said})`}; ${way}`;
}
