import type { AggregatedVersion } from './aggregated-document.ts';

/** Form of `/api` and `/apis` that a client requests: one document for each version, or one with all. */
export type DiscoveryForm = 'legacy' | AggregatedVersion;

const formOf = (mediaRange: string): DiscoveryForm | undefined => {
  const [type = '', ...parameters] = mediaRange.split(';').map((part) => part.trim());
  if (type !== 'application/json' && type !== 'application/*' && type !== '*/*') return undefined;
  const values = new Map(parameters.map((part) => part.split('=', 2) as [string, string]));
  if (!values.has('as')) return 'legacy';
  const version = values.get('v');
  return values.get('as') === 'APIGroupDiscoveryList' &&
    values.get('g') === 'apidiscovery.k8s.io' &&
    (version === 'v2' || version === 'v2beta1')
    ? version
    : undefined;
};

/** The first form of an Accept header that this server has; the plain one when there is none. */
export const discoveryForm = (accept = ''): DiscoveryForm => {
  for (const mediaRange of accept.split(',')) {
    const form = formOf(mediaRange);
    if (form !== undefined) return form;
  }
  return 'legacy';
};

export const contentTypeOf = (form: DiscoveryForm): string =>
  form === 'legacy'
    ? 'application/json'
    : `application/json;g=apidiscovery.k8s.io;v=${form};as=APIGroupDiscoveryList`;
