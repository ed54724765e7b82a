import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from '@perigee/schema/errors';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { checkDns1035Label, checkDnsSubdomain } from '@perigee/schema/values/names';
import { nodeAt, textAt, textsAt } from './schema-node.ts';

const STRATEGIES = ['None', 'Webhook'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];

const URL_FORM = '; desired format: https://host[/path]';

const urlProblems = (text: string, path: string): readonly FieldError[] => {
  if (!URL.canParse(text)) {
    return [required(path, `url must be a valid URL: cannot parse ${text}${URL_FORM}`)];
  }
  const { protocol, host: hostName, username, hash, search } = new URL(text);
  // It takes the first part of a path for a host that is missing.
  const host = /^[^:]+:\/\/\//.test(text) ? '' : hostName;
  const scheme = protocol.replace(/:$/, '');
  return [
    ...(scheme === 'https'
      ? []
      : [invalid(path, scheme, `'https' is the only allowed URL scheme${URL_FORM}`)]),
    ...(host === '' ? [invalid(path, host, `host must be specified${URL_FORM}`)] : []),
    ...(username === ''
      ? []
      : [invalid(path, username, 'user information is not permitted in the URL')]),
    ...(hash === ''
      ? []
      : [invalid(path, hash.slice(1), 'fragments are not permitted in the URL')]),
    ...(search === ''
      ? []
      : [invalid(path, search.slice(1), 'query parameters are not permitted in the URL')]),
  ];
};

const servicePathProblems = (text: string, path: string): readonly FieldError[] => {
  if (text === '' || text === '/') return [];
  const segments = text.slice(1).replace(/\/$/, '').split('/');
  return [
    ...(text.startsWith('/') ? [] : [invalid(path, text, "must start with a '/'")]),
    ...segments.flatMap((segment, at) =>
      segment === ''
        ? [invalid(path, text, `segment[${at}] may not be empty`)]
        : checkDnsSubdomain(segment).map((problem) =>
            invalid(path, text, `segment[${at}]: ${problem}`),
          ),
    ),
  ];
};

const serviceProblems = (service: JsonObject, path: string): readonly FieldError[] => {
  const port = typeof service.port === 'number' ? service.port : 443;
  return [
    ...['name', 'namespace']
      .filter((name) => textAt(service, name) === '')
      .map((name) => required(`${path}.${name}`)),
    ...(port >= 1 && port <= 65_535
      ? []
      : [
          invalid(
            `${path}.port`,
            port,
            'port is not valid: must be between 1 and 65535, inclusive',
          ),
        ]),
    ...servicePathProblems(textAt(service, 'path'), `${path}.path`),
  ];
};

/** Problems of the `clientConfig` of a webhook. */
export const clientProblems = (client: JsonObject, path: string): readonly FieldError[] => {
  const service = nodeAt(client, 'service');
  const hasUrl = typeof client.url === 'string';
  if (hasUrl === (service !== undefined)) {
    return [required(path, 'exactly one of url or service is required')];
  }
  return service
    ? serviceProblems(service, `${path}.service`)
    : urlProblems(textAt(client, 'url'), `${path}.url`);
};

const reviewVersionProblems = (
  versions: readonly string[],
  path: string,
): readonly FieldError[] => {
  if (versions.length === 0) return [required(path)];
  const errors = versions.flatMap((version, at) =>
    versions.indexOf(version) < at
      ? [invalid(`${path}[${at}]`, version, 'duplicate version')]
      : checkDns1035Label(version).map((problem) => invalid(`${path}[${at}]`, version, problem)),
  );
  return versions.some((version) => REVIEW_VERSIONS.includes(version))
    ? errors
    : [
        ...errors,
        invalid(path, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`),
      ];
};

/** Problems of the conversion of a CRD. */
export const validateConversion = (conversion: JsonObject, path: string): readonly FieldError[] => {
  const strategy = textAt(conversion, 'strategy');
  const webhook = nodeAt(conversion, 'webhook') ?? {};
  const client = webhook.clientConfig;
  const versions = textsAt(webhook, 'conversionReviewVersions');
  const clientPath = `${path}.webhookClientConfig`;
  const versionsPath = `${path}.conversionReviewVersions`;
  const strategyProblems =
    strategy === ''
      ? [required(`${path}.strategy`)]
      : STRATEGIES.includes(strategy)
        ? []
        : [notSupported(`${path}.strategy`, strategy, STRATEGIES)];
  if (strategy !== 'Webhook') {
    const detail = 'should not be set when strategy is not set to Webhook';
    return [
      ...strategyProblems,
      ...(client === undefined ? [] : [forbidden(clientPath, detail)]),
      ...(versions.length === 0 ? [] : [forbidden(versionsPath, detail)]),
    ];
  }
  return [
    ...(isJsonObject(client)
      ? clientProblems(client, clientPath)
      : [required(clientPath, 'required when strategy is set to Webhook')]),
    ...reviewVersionProblems(versions, versionsPath),
  ];
};
