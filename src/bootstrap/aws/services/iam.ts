import { IAMClient, GetRoleCommand, ListAttachedRolePoliciesCommand } from '@aws-sdk/client-iam';
import type { ClientConfig, CommandsOf, Service } from '../service';

const commands = {
  GetRole: GetRoleCommand,
  ListAttachedRolePolicies: ListAttachedRolePoliciesCommand,
} satisfies CommandsOf<'iam'>;

export function service(config: ClientConfig): Service {
  return { client: new IAMClient(config), commands };
}
