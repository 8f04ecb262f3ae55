import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, messageOf } from './client';
import { until } from './wait';

const INTERFACE_DATA = join(__dirname, '../../../imports/crds');

/** Makes the API server know LWS by the files of its module, and the kinds of others by the interface data of imports/crds. */
export async function installDefinitions(client: Client, programs: string): Promise<void> {
  const own = join(programs, 'lws-crds');
  const files = [
    ...readdirSync(own).map((file) => join(own, file)),
    ...readdirSync(INTERFACE_DATA)
      .filter((file) => file !== 'leaderworkersets.yaml')
      .map((file) => join(INTERFACE_DATA, file)),
  ];
  const served: string[] = [];
  for (const file of files) {
    // As text: the one of LWS has 1.3 MB.
    const text = readFileSync(file, 'utf8');
    const name = /^ {2}name: (\S+)$/m.exec(text)![1]!;
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
    const type = 'application/apply-patch+yaml';
    const answer = await client.send('PATCH', `${path}?fieldManager=test&fieldValidation=Strict`, text, type);
    if (answer.status >= 300) {
      throw new Error(`${file}: ${messageOf(answer)}`);
    }
    const [plural, ...group] = name.split('.');
    const version = /^ {2}(?:- | {2})name: (v\d\S*)$/m.exec(text)![1]!;
    served.push(`/apis/${group.join('.')}/${version}/${plural}`);
  }
  for (const path of served) {
    await until(`the API server to serve ${path}`, async () => (await client.get(path)).status === 200);
  }
}
