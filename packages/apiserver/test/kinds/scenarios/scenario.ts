import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request as requestPlainly } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { text } from 'node:stream/consumers';

/** A request, and what kube-apiserver answered to it. `NS` stands for a namespace of the scenario's own. */
export interface Step {
  /** The method and the path. */
  readonly do: string;
  /** Content type of the body; JSON by default. */
  readonly type?: string;
  readonly body?: object;
  readonly answer?: unknown;
}

export interface Scenario {
  readonly about: string;
  /** True if the answers tell who owns which fields. */
  readonly owners?: boolean;
  readonly steps: readonly Step[];
}

export interface Peer {
  readonly url: string;
  readonly ca?: string;
  readonly authorization?: string;
}

const FOLDER = new URL('./', import.meta.url);
const NAMESPACES = '/api/v1/namespaces';

export const scenarioFiles = (): readonly string[] =>
  readdirSync(FOLDER).filter((file) => file.endsWith('.json'));

export const readScenario = (file: string): Scenario =>
  JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Scenario;

export const writeScenario = (file: string, scenario: Scenario): void =>
  writeFileSync(new URL(file, FOLDER), `${JSON.stringify(scenario, null, 2)}\n`);

/** Values that differ from run to run, by their placeholder. */
const CHANCES: readonly (readonly [pattern: RegExp, label: string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'uid'],
  [/\b10\.0\.0\.\d+\b(?!\/)/g, 'address'],
  [/(?<=[nN]odePort":)3\d{4}/g, 'port'],
];

/** The same chance gets the same name in all of a scenario, in the order in which it shows. */
const createNames = () => {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  const nameOf = (label: string, text: string): string => {
    const known = names.get(`${label} ${text}`);
    if (known !== undefined) return known;
    const count = (counts.get(label) ?? 0) + 1;
    counts.set(label, count);
    const name = `${label}-${count}`;
    names.set(`${label} ${text}`, name);
    return name;
  };
  return (json: string): string =>
    CHANCES.reduce(
      (text, [pattern, label]) =>
        text.replaceAll(pattern, (found) =>
          label === 'port' ? `"${nameOf(label, found)}"` : nameOf(label, found),
        ),
      json
        .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
        .replaceAll(/(?<="resourceVersion":")\d+/g, 'VERSION')
        // Some refusals end with both states of the object, as Go prints them.
        .replaceAll(/\\n@@ -\d(?:[^"\\]|\\.)*/g, ''),
    );
};

interface Told {
  readonly kind?: string;
  readonly metadata?: { readonly managedFields?: unknown; readonly [name: string]: unknown };
  readonly [name: string]: unknown;
}

const withoutOwners = ({ metadata, ...rest }: Told): Told => {
  if (metadata === undefined) return rest;
  const { managedFields, ...kept } = metadata;
  return { ...rest, metadata: kept };
};

/** The paths of what the steps create. */
const made = (steps: readonly Step[]): readonly string[] =>
  steps.flatMap(({ do: what, body }) => {
    const [method, path = ''] = what.split(' ');
    const { metadata: { name } = {} } = (body ?? {}) as { metadata?: { name?: string } };
    return method === 'POST' && name !== undefined ? [`${path.split('?')[0]}/${name}`] : [];
  });

/** Plays a scenario on a server; gives the same steps with what that answered. */
export const play = async (peer: Peer, { steps, owners = false }: Scenario, namespace: string) => {
  const ask = async (method: string, path: string, type: string, body?: object) => {
    const send = peer.ca === undefined ? requestPlainly : requestSecurely;
    const tls = peer.ca === undefined ? {} : { ca: peer.ca, servername: 'kubernetes' };
    const { authorization } = peer;
    const headers = {
      'content-type': type,
      'user-agent': 'scenario',
      ...(authorization === undefined ? {} : { authorization }),
    };
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const request = send(`${peer.url}${path}`, { ...tls, method, headers }, resolve);
    request.on('error', reject);
    request.end(body && JSON.stringify(body).replaceAll('"NS"', `"${namespace}"`));
    const response = await promise;
    return { status: response.statusCode ?? 0, text: await text(response) };
  };
  const empty = async (path: string): Promise<void> => {
    await ask('DELETE', `${path}?gracePeriodSeconds=0`, 'application/json');
  };
  const unchanced = createNames();
  const answerTo = async ({ do: what, type = 'application/json', body }: Step) => {
    const [method = '', path = ''] = what.split(' ');
    const response = await ask(method, path.replace('/NS', `/${namespace}`), type, body);
    const told = JSON.parse(response.text.replaceAll(namespace, 'NS')) as Told;
    const shown = unchanced(JSON.stringify(owners ? told : withoutOwners(told)));
    return { code: response.status, body: JSON.parse(shown) as unknown };
  };
  const spec = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await ask('POST', NAMESPACES, 'application/json', spec);
  try {
    const played: Step[] = [];
    for (const step of steps) played.push({ ...step, answer: await answerTo(step) });
    return played;
  } finally {
    for (const path of made(steps)) await empty(`${path.replace('/NS', `/${namespace}`)}`);
    await empty(`${NAMESPACES}/${namespace}`);
    // Nobody may be there who would say that it is empty.
    const ended = { ...spec, spec: { finalizers: [] } };
    const finalize = `${NAMESPACES}/${namespace}/finalize`;
    await ask('PUT', finalize, 'application/json', ended);
  }
};
