/** A parameter of a request, in the form that OpenAPI v3 has for it. */
export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly description: string;
  readonly required?: true;
  readonly schema: { readonly type: 'string' | 'integer' | 'boolean' };
}

export type Action = 'get' | 'list' | 'deletecollection' | 'post' | 'put' | 'patch' | 'delete';

const query = (
  name: string,
  type: Parameter['schema']['type'],
  description: string,
): Parameter => ({ name, in: 'query', description, schema: { type } });

const path = (name: string, description: string): Parameter => ({
  name,
  in: 'path',
  description,
  required: true,
  schema: { type: 'string' },
});

const resourceVersion = query(
  'resourceVersion',
  'string',
  'The state that the answer must not be older than, or from which a watch goes on.',
);

const LIST = [
  query('allowWatchBookmarks', 'boolean', 'Whether a watch may carry BOOKMARK events.'),
  query('continue', 'string', 'Where the page begins: the value that came with the page before.'),
  query('fieldSelector', 'string', 'Restricts the objects by their fields.'),
  query('labelSelector', 'string', 'Restricts the objects by their labels.'),
  query('limit', 'integer', 'How many objects a page may have.'),
  resourceVersion,
  query('resourceVersionMatch', 'string', 'How to take resourceVersion: Exact or NotOlderThan.'),
  query('sendInitialEvents', 'boolean', 'Whether a watch begins with all objects that exist.'),
  query('timeoutSeconds', 'integer', 'How long a list or a watch may last.'),
  query('watch', 'boolean', 'Sends every change as it comes, rather than the list.'),
];

const dryRun = query('dryRun', 'string', 'All: go through everything, and keep nothing.');

const WRITE = [
  dryRun,
  query('fieldManager', 'string', 'Who makes the change; an apply must say it.'),
  query(
    'fieldValidation',
    'string',
    'What to do about unknown and duplicate fields: Ignore, Warn or Strict.',
  ),
];

/** The query parameters of each action, by name. */
export const QUERY_PARAMETERS: { readonly [action in Action]: readonly Parameter[] } = {
  get: [resourceVersion],
  list: LIST,
  deletecollection: LIST,
  post: WRITE,
  put: WRITE,
  patch: [...WRITE, query('force', 'boolean', 'Whether an apply takes fields from others.')],
  delete: [
    dryRun,
    query('gracePeriodSeconds', 'integer', 'How long the object may take to end; 0 is at once.'),
    query('orphanDependents', 'boolean', 'Old form of propagationPolicy.'),
    query('propagationPolicy', 'string', 'Orphan, Background or Foreground.'),
  ],
};

export const PRETTY = query('pretty', 'string', 'Whether the answer is laid out for people.');
export const NAMESPACE = path('namespace', 'The namespace of the object.');
export const nameOf = (kind: string): Parameter => path('name', `The name of the ${kind}.`);
