import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Client, ObjectRef, Patch } from '@perigee/kube/client/client';
import { RestMapper } from '@perigee/kube/client/rest-mapper';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { parseAllDocuments } from 'yaml';

const FIELD_MANAGER = 'perigee-demo';

/** Kubectl's line of output for a changed object. */
const line = (
  kind: { group: string; singular?: string; kind: string },
  name: string,
  did: string,
) => {
  const word = kind.kind.toLowerCase();
  return `${kind.group === '' ? word : `${word}.${kind.group}`}/${name} ${did}\n`;
};

const objectsIn = (file: string): readonly JsonObject[] =>
  parseAllDocuments(readFileSync(file, 'utf8'))
    .map((document): unknown => document.toJS())
    .filter(isJsonObject);

const change = async (
  client: Client,
  [resource = '', name = '']: readonly string[],
  patch: Patch,
  did: string,
): Promise<string> => {
  const kind = await new RestMapper(client).byName(resource);
  await client.patch(kind, { name }, patch, { fieldManager: FIELD_MANAGER });
  return line(kind, name, did);
};

const apply = async (client: Client, file: string): Promise<string> => {
  const mapper = new RestMapper(client);
  const lines: string[] = [];
  for (const body of objectsIn(file)) {
    const kind = await mapper.byKind(String(body.apiVersion), String(body.kind));
    const { name } = body.metadata as unknown as ObjectRef;
    const ref = kind.scope === 'Namespaced' ? { name, namespace: 'default' } : { name };
    await client.patch(kind, ref, {
      type: 'apply',
      body,
      fieldManager: FIELD_MANAGER,
      force: true,
    });
    lines.push(line(kind, name, 'serverside-applied'));
  }
  return lines.join('');
};

/** Runs the few kubectl commands of the demo on machines without kubectl, with the same requests. */
export const withoutKubectl = (
  client: Client,
  args: readonly string[],
  cwd: string,
): Promise<string> => {
  const [verb, ...rest] = args;
  switch (verb) {
    case 'apply':
      return apply(client, resolve(cwd, rest.at(-1) ?? ''));
    case 'annotate': {
      const [key = '', value] = (rest[2] ?? '').split(/=(.*)/s);
      const annotation = value === undefined ? { [key.replace(/-$/, '')]: null } : { [key]: value };
      const body = { metadata: { annotations: annotation } };
      return change(client, rest, { type: 'merge', body }, 'annotated');
    }
    case 'patch': {
      const body: JsonObject = JSON.parse(rest.at(-1) ?? '{}');
      return change(client, rest, { type: 'merge', body }, 'patched');
    }
    default:
      throw new Error(`the story has no kubectl ${verb} of its own`);
  }
};
