import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { requestAttributes } from '../../src/rbac/request-attributes.ts';
import { requestTarget } from '../../src/request/request-target.ts';

const user = { name: 'jane' };

const read = (request: string) => {
  const [method = '', url = ''] = request.split(' ');
  const [path = '', query = ''] = url.split('?');
  return requestAttributes(user, { method, path, query: new URLSearchParams(query) });
};

/** `verb resource.group/part:name@namespace (version)`, or `verb path`. */
const show = (request: string): string => {
  const attributes = read(request);
  if ('path' in attributes) return `${attributes.verb} ${attributes.path}`;
  const { verb, resource, apiGroup, subresource, name, namespace, apiVersion } = attributes;
  const parts = [
    ['.', apiGroup],
    ['/', subresource],
    [':', name],
    ['@', namespace],
  ];
  const shown = parts.map(([mark, part]) => (part === '' ? '' : `${mark}${part}`)).join('');
  return `${verb} ${resource}${shown} (${apiVersion})`;
};

const CASES: { readonly [request: string]: string } = {
  'GET /api/v1/namespaces/a/pods': 'list pods@a (v1)',
  'GET /api/v1/namespaces/a/pods/': 'list pods@a (v1)',
  'GET /api/v1/pods': 'list pods (v1)',
  'GET /api/v1/pods?watch=true': 'watch pods (v1)',
  'GET /api/v1/pods?watch=1': 'watch pods (v1)',
  'GET /api/v1/pods?watch=false': 'list pods (v1)',
  'GET /api/v1/pods?watch=0': 'list pods (v1)',
  'GET /api/v1/namespaces/a/pods/x': 'get pods:x@a (v1)',
  'GET /api/v1/namespaces/a/pods/x?watch=true': 'get pods:x@a (v1)',
  'HEAD /api/v1/namespaces/a/pods/x': 'get pods:x@a (v1)',
  'GET /api/v1/namespaces/a/pods/x/log': 'get pods/log:x@a (v1)',
  'GET /api/v1/namespaces/a/pods/x/proxy/some/path': 'get pods/proxy:x@a (v1)',
  'POST /api/v1/namespaces/a/pods': 'create pods@a (v1)',
  'POST /api/v1/namespaces/a/pods/x/eviction': 'create pods/eviction:x@a (v1)',
  'PUT /apis/apps/v1/namespaces/a/deployments/x/scale': 'update deployments.apps/scale:x@a (v1)',
  'PATCH /apis/apps/v1/namespaces/a/deployments/x': 'patch deployments.apps:x@a (v1)',
  'DELETE /api/v1/namespaces/a/pods/x': 'delete pods:x@a (v1)',
  'DELETE /api/v1/namespaces/a/pods': 'deletecollection pods@a (v1)',
  'OPTIONS /api/v1/pods': ' pods (v1)',
  'GET /api/v1/namespaces': 'list namespaces (v1)',
  'POST /api/v1/namespaces': 'create namespaces (v1)',
  'GET /api/v1/namespaces/a': 'get namespaces:a@a (v1)',
  'DELETE /api/v1/namespaces/a': 'delete namespaces:a@a (v1)',
  'PUT /api/v1/namespaces/a/finalize': 'update namespaces/finalize:a@a (v1)',
  'PATCH /api/v1/namespaces/a/status': 'patch namespaces/status:a@a (v1)',
  'GET /api/v1/namespaces/status': 'get namespaces:status@status (v1)',
  'GET /api/v1/pods?fieldSelector=metadata.name=x': 'list pods:x (v1)',
  'GET /api/v1/namespaces/a/pods?watch=1&fieldSelector=metadata.name%3Dx': 'watch pods:x@a (v1)',
  'GET /api/v1/pods?fieldSelector=spec.nodeName=n,metadata.name=x': 'list pods:x (v1)',
  'GET /api/v1/pods?fieldSelector=metadata.name!=x': 'list pods (v1)',
  'GET /api/v1/pods?fieldSelector=metadata.name=a/b': 'list pods (v1)',
  'GET /api/v1/pods?fieldSelector=metadata.name=..': 'list pods (v1)',
  'GET /api/v1/pods?fieldSelector=nonsense': 'list pods (v1)',
  'DELETE /api/v1/namespaces/a/pods?fieldSelector=metadata.name=x': 'deletecollection pods@a (v1)',
  'GET /api/v1/watch/pods': 'watch pods (v1)',
  'GET /api/v1/watch/namespaces/a/pods/x': 'watch pods:x@a (v1)',
  'GET /api/v1/proxy/namespaces/a/pods/x/some': 'proxy pods:x@a (v1)',
  'GET /apis/globalscheduler.com/v1/clusters/c': 'get clusters.globalscheduler.com:c (v1)',
  'GET /': 'get /',
  'GET /api': 'get /api',
  'GET /api/v1': 'get /api/v1',
  'GET /apis/apps/v1': 'get /apis/apps/v1',
  'GET /apis/apps': 'get /apis/apps',
  'POST /healthz': 'post /healthz',
  'GET /apis-of/apps/v1/deployments': 'get /apis-of/apps/v1/deployments',
  'GET /openapi/v3/apis/apps/v1': 'get /openapi/v3/apis/apps/v1',
};

for (const [request, expected] of Object.entries(CASES)) {
  test(`${request} is ${expected}`, () => assert.equal(show(request), expected));
}

test('whatever the server would serve is what it decides about', () => {
  const part = fc.constantFrom('a', 'pods', 'status', 'finalize', 'namespaces', 'v1', '', 'x');
  const path = fc
    .tuple(
      fc.constantFrom('/api', '/apis', '//api', '/apis/apps'),
      fc.array(part, { maxLength: 7 }),
    )
    .map(([root, parts]) => [root, ...parts].join('/'));
  fc.assert(
    fc.property(path, (path) => {
      const target = requestTarget(path);
      // An empty name is never served, nor is a part of a part.
      const isServed =
        target !== undefined &&
        [target.group, target.version, target.plural, target.name, target.namespace].every(
          (text, index) => text !== '' || (index === 0 && path.startsWith('/api/')),
        ) &&
        !target.subresource?.includes('/');
      const attributes = read(`GET ${path}`);
      if (!isServed) return;
      assert.ok('resource' in attributes, path);
      assert.equal(attributes.apiGroup, target.group, path);
      assert.equal(attributes.apiVersion, target.version, path);
      assert.equal(attributes.resource, target.plural, path);
      assert.equal(attributes.subresource, target.subresource ?? '', path);
      assert.equal(attributes.name, target.name ?? '', path);
      const isNamespace = target.plural === 'namespaces' && target.namespace === undefined;
      const namespace = isNamespace ? target.name : target.namespace;
      assert.equal(attributes.namespace, namespace ?? '', path);
    }),
    { numRuns: 2_000 },
  );
});
