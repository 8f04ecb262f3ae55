import type { Member } from './classes';
import { decode, go } from './go-decode';
import { parseGoJson } from './go-json';
import { BuildError, within } from './grammar';

const MUTUAL_AUTHENTICATION = go.list(
  go.struct('MutualAuthenticationConfig', {
    port: go.int32,
    mode: go.string,
    trustStore: go.string,
    ignoreClientCertificateExpiry: go.bool,
    advertiseTrustStoreCaNames: go.string,
  }),
);
const MODES = ['off', 'passthrough', 'verify'];

/** How clients prove who they are, by port. */
export function mutualAuthentication({ annotations }: Member): Map<number, string> {
  const text = annotations.text('mutual-authentication');
  if (text === undefined) {
    return new Map();
  }
  const entries = (within(
    `failed to parse mutualAuthentication configuration from ingress annotation: \`${text}\``,
    () => decode(parseGoJson(text), MUTUAL_AUTHENTICATION),
  ) ?? []) as { port?: number; mode?: string; trustStore?: string; ignoreClientCertificateExpiry?: boolean }[];
  if (entries.length === 0) {
    throw new BuildError(`empty mutualAuthentication configuration from ingress annotation: \`${text}\``);
  }
  return new Map(
    entries.map(({ port = 0, mode = '', trustStore = '', ignoreClientCertificateExpiry }) => {
      if (port < 1 || port > 65_535) {
        throw new BuildError(`listen port must be within [1, 65535]: ${port}`);
      }
      if (mode === '') {
        throw new BuildError(`mutualAuthentication mode cannot be empty for port ${port}`);
      }
      if (!MODES.includes(mode)) {
        throw new BuildError(
          `mutualAuthentication mode value must be among [${MODES.join(', ')}] for port ${port} : ${mode}`,
        );
      }
      if (mode === 'verify' && trustStore === '') {
        throw new BuildError(`trustStore is required when mutualAuthentication mode is verify for port ${port}`);
      }
      if (mode !== 'verify' && trustStore !== '') {
        throw new BuildError(`Mutual Authentication mode ${mode} does not support trustStore for port ${port}`);
      }
      if (mode !== 'verify' && ignoreClientCertificateExpiry !== undefined) {
        throw new BuildError(
          `Mutual Authentication mode ${mode} does not support ignoring client certificate expiry for port ${port}`,
        );
      }
      return [port, mode];
    }),
  );
}
