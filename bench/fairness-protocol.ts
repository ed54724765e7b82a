/** Address of the server of the benchmark. */
export interface StallTarget {
  readonly url: string;
}

/** Either to read one object after the other until told to stop, or to ask for much. */
export type FairnessOrder = { readonly task: 'read' | 'stop' } | { readonly form: string };

export const LISTED_FAIRLY = 10_000;
export const PODS = '/api/v1/namespaces/default/pods';

interface Form {
  readonly method?: string;
  readonly query?: string;
  readonly headers?: { readonly [name: string]: string };
}

const as = (kind: string) => ({ accept: `application/json;as=${kind};v=v1;g=meta.k8s.io` });

/** Requests of one client while another reads one object after the other. */
export const FAIRNESS_FORMS: { readonly [name: string]: Form } = {
  nothing: { query: 'limit=1' },
  'a list': {},
  'a compressed list': { headers: { 'accept-encoding': 'gzip' } },
  'an indented list': { query: 'pretty=true' },
  'a YAML list': { headers: { accept: 'application/yaml' } },
  'a table': { headers: as('Table') },
  'a metadata list': { headers: as('PartialObjectMetadataList') },
  'a selection': { query: 'labelSelector=app%3Dnone' },
  'the start of a watch': { query: 'watch=true&timeoutSeconds=1' },
  'a deletion of all': { method: 'DELETE', query: 'dryRun=All' },
};
