import { STSClient, GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import type { ClientConfig, CommandsOf, Service } from '../service';

const commands = {
  GetCallerIdentity: GetCallerIdentityCommand,
} satisfies CommandsOf<'sts'>;

export function service(config: ClientConfig): Service {
  return { client: new STSClient(config), commands };
}
