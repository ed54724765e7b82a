import {
  type BadRequest,
  CONFIG_MAPS,
  configMap,
  JSON_TYPE,
  PODS,
  WIDGETS,
  widget,
} from './bad-request.ts';

const list = (query: string, path = CONFIG_MAPS): BadRequest => ({
  name: `list ${path.split('/').at(-1)} ${query.slice(0, 60)}`,
  path: `${path}?${query}`,
});

const create = (query: string, path = CONFIG_MAPS): BadRequest => ({
  name: `create ${path.split('/').at(-1)} ${query.slice(0, 60)}`,
  method: 'POST',
  path: `${path}?${query}`,
  headers: JSON_TYPE,
  body: path === CONFIG_MAPS ? configMap({ name: 'x' }) : widget({ name: 'x' }),
});

const FUTURE = '9007199254740000';
const START = 'sendInitialEvents';
const MATCH = 'resourceVersionMatch';

/** Questions and options that make no sense. */
export const QUERY_REQUESTS: readonly BadRequest[] = [
  ...[
    'labelSelector=a in',
    'labelSelector=,',
    'labelSelector===',
    'labelSelector=a=b=c',
    'labelSelector=a in (b',
    'labelSelector=-a=b',
    'labelSelector=a=-b',
    'labelSelector=a>b',
    `labelSelector=${'a'.repeat(70)}=b`,
    'labelSelector=%00',
    'fieldSelector=nope=1',
    'fieldSelector=metadata.name',
    'fieldSelector=metadata.name>x',
    'fieldSelector=metadata.name=x,spec.y=1',
    'limit=x',
    'limit=1.5',
    'limit=99999999999999999999',
    'continue=x',
    'continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ',
    'continue=eyJ2IjoieCIsInJ2IjoxLCJzdGFydCI6ImEifQ',
    'continue=x&resourceVersion=1',
    'limit=1&continue=x&resourceVersionMatch=Exact',
    'resourceVersion=x',
    'resourceVersion=-1',
    `resourceVersion=${FUTURE}`,
    `resourceVersion=${FUTURE}&${MATCH}=Exact`,
    `${MATCH}=Exact`,
    `${MATCH}=Exact&resourceVersion=0`,
    `${MATCH}=Nope&resourceVersion=1`,
    `${MATCH}=NotOlderThan`,
    'timeoutSeconds=x',
    `${START}=true`,
    `watch=true&${START}=true`,
    `watch=true&${START}=false&${MATCH}=Exact`,
    `watch=true&${MATCH}=NotOlderThan`,
    'watch=true&resourceVersion=x',
    'watch=true&labelSelector=a in',
    'watch=true&fieldSelector=nope=1',
    'watch=true&timeoutSeconds=x',
    'watch=true&limit=x',
  ].map((query) => list(encodeURI(query))),
  ...[
    'labelSelector=a%20in',
    'fieldSelector=spec.size=1',
    'limit=x',
    'continue=x',
    'resourceVersion=x',
    `resourceVersion=${FUTURE}`,
    `${MATCH}=Exact`,
    'watch=true&resourceVersion=x',
  ].map((query) => list(query, WIDGETS)),
  list('fieldSelector=spec.nope=1', PODS),
  { name: 'get at a version that is none', path: `${CONFIG_MAPS}/present?resourceVersion=x` },
  {
    name: 'get at a version of the future',
    path: `${CONFIG_MAPS}/present?resourceVersion=${FUTURE}`,
  },
  {
    name: 'get a Widget at a version of the future',
    path: `${WIDGETS}/present?resourceVersion=${FUTURE}`,
  },
  ...[CONFIG_MAPS, WIDGETS].flatMap((path) => [
    create('dryRun=x', path),
    create('dryRun=all', path),
    create('dryRun=All&dryRun=x', path),
    create('fieldValidation=x', path),
    create('fieldValidation=strict', path),
    create(`fieldManager=${'m'.repeat(129)}`, path),
    create('fieldManager=a%00b', path),
    create('fieldManager=a%0Ab', path),
    create('fieldManager=a%E2%80%8Bb', path),
    create('dryRun=x&fieldManager=a%0Ab&fieldValidation=y', path),
  ]),
  {
    name: 'delete a collection by a bad selector',
    method: 'DELETE',
    path: `${CONFIG_MAPS}?labelSelector=a%20in`,
  },
  {
    name: 'delete a collection by an unknown field',
    method: 'DELETE',
    path: `${CONFIG_MAPS}?fieldSelector=nope=1`,
  },
];
