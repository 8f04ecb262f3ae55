import { unlessAbsent } from '../aws/send';
import { clientToken } from '../aws/token';
import type { Tag, Tags, Template, TemplateData, TemplateVersion } from '../aws/types';
import { OWNER_TAG, tagList, tagsOf, templateData, templateInput, templateName } from '../desired';
import type { ClusterFile } from '../file/types';
import { type Difference, type Resource, tagDifference, valueDifference } from '../resource';
import type { Run } from '../run';

export interface ObservedTemplate {
  readonly template: Template;
  readonly latest: TemplateVersion | undefined;
}

export function templateId(file: ClusterFile): string {
  return `launch template ${templateName(file)}`;
}

export function tagMap(tags: readonly Tag[] = []): Tags {
  return Object.fromEntries(tags.map(({ Key = '', Value = '' }) => [Key, Value]));
}

/** The launch template that is made for the node group; there is none beside one of the user's own. */
export function templateResource(run: Run): Resource<ObservedTemplate> {
  const { file, send, scope } = run;
  const name = templateName(file);
  return {
    id: templateId(file),
    needs: [],
    patience: { every: 3, atMost: 2, degraded: 0 },
    observe: async () => {
      const filter = { Name: 'launch-template-name', Values: [name] };
      const { LaunchTemplates = [] } = await send('ec2.DescribeLaunchTemplates', { Filters: [filter] });
      const template = LaunchTemplates.find(({ LaunchTemplateName }) => LaunchTemplateName === name);
      if (template === undefined) {
        return undefined;
      }
      const { LaunchTemplateVersions = [] } = await send('ec2.DescribeLaunchTemplateVersions', {
        LaunchTemplateId: template.LaunchTemplateId!,
        Versions: ['$Latest'],
      });
      return { template, latest: LaunchTemplateVersions[0] };
    },
    isOurs: ({ template }) => tagMap(template.Tags)[OWNER_TAG] === file.name,
    state: () => 'ready',
    status: () => 'there',
    issues: () => [],
    differences: (observed) => templateDifferences(file, observed),
    create: async (generation) => {
      const input = templateInput(file);
      const ClientToken = clientToken('CreateLaunchTemplate', input, scope, generation);
      await send('ec2.CreateLaunchTemplate', { ...input, ClientToken });
    },
    change: async ({ template }) => {
      await send('ec2.CreateTags', { Resources: [template.LaunchTemplateId!], Tags: tagList(tagsOf(file)) });
    },
    replace:
      ({ template, latest }) =>
      async () => {
        const input = { LaunchTemplateId: template.LaunchTemplateId!, LaunchTemplateData: templateData(file) };
        // After which version: coming back to what an earlier one had is a new wish.
        const ClientToken = clientToken('CreateLaunchTemplateVersion', input, scope, latest?.VersionNumber ?? 0);
        await send('ec2.CreateLaunchTemplateVersion', { ...input, ClientToken });
      },
    remove: async ({ template }) => {
      await unlessAbsent(send('ec2.DeleteLaunchTemplate', { LaunchTemplateId: template.LaunchTemplateId! }));
    },
    remember: ({ template, latest }) => {
      run.known.template = {
        id: template.LaunchTemplateId!,
        version: String(latest?.VersionNumber ?? template.LatestVersionNumber ?? 1),
      };
    },
  };
}

function templateDifferences(file: ClusterFile, { template, latest }: ObservedTemplate): Difference[] {
  const data = latest?.LaunchTemplateData ?? {};
  const wanted = templateData(file);
  const note = 'a new version of the template, which ends every node in turn';
  const disk = ({
    BlockDeviceMappings: [mapping] = [],
  }: Pick<NonNullable<TemplateVersion['LaunchTemplateData']>, 'BlockDeviceMappings'>): string =>
    `${mapping?.DeviceName} ${mapping?.Ebs?.VolumeSize} GiB ${mapping?.Ebs?.VolumeType}${mapping?.Ebs?.Encrypted ? ' encrypted' : ''}`;
  const metadata = ({
    HttpTokens,
    HttpPutResponseHopLimit,
  }: { HttpTokens?: string; HttpPutResponseHopLimit?: number } = {}): string =>
    `tokens ${HttpTokens}, ${HttpPutResponseHopLimit} hops`;
  return [
    ...valueDifference('diskSize', disk(data), disk(wanted), 'replace', note),
    ...valueDifference(
      'metadata options',
      metadata(data.MetadataOptions),
      metadata(wanted.MetadataOptions),
      'replace',
      note,
    ),
    ...wanted.TagSpecifications.flatMap(({ ResourceType, Tags }: TemplateData['TagSpecifications'][number]) => {
      const specification = data.TagSpecifications?.find((found) => found.ResourceType === ResourceType);
      return tagDifference(tagMap(specification?.Tags), tagMap(Tags)).map((difference) => ({
        ...difference,
        what: `tags of a new ${ResourceType}`,
        remedy: 'replace' as const,
        note: `${note}; until then a replaced node lacks them, and \`tag\` gives them to what is live`,
      }));
    }),
    ...tagDifference(tagMap(template.Tags), tagsOf(file)),
  ];
}
