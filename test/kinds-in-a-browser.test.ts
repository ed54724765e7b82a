import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createContext, runInContext } from 'node:vm';
import * as admitting from '@perigee/api/kind/admit';
import * as definitions from '@perigee/api/kind/crd';
import * as everyKind from '@perigee/api/kinds/all-kinds';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import * as validating from '@perigee/schema/validate/validate';
import { parseAllDocuments } from 'yaml';
import { bundleForBrowser } from '../tools/bundle-for-browser.ts';

const ROOT = new URL('..', import.meta.url).pathname;

/** The globals beside those of the language that the kinds may use, and every browser has. */
const OF_BROWSERS = {
  TextDecoder,
  TextEncoder,
  // Encoders of this realm return these, which are not those of another realm.
  Uint8Array,
  atob,
  btoa,
  structuredClone,
};

type Modules = typeof admitting & typeof definitions & typeof everyKind & typeof validating;

const modulesInBrowser = async (): Promise<Modules> => {
  const script = await bundleForBrowser('modules', [
    '@perigee/api/kind/admit',
    '@perigee/api/kind/crd',
    '@perigee/api/kinds/all-kinds',
    '@perigee/schema/validate/validate',
  ]);
  const page = createContext({ ...OF_BROWSERS });
  runInContext(script, page);
  return page.modules as Modules;
};

const inNode: Modules = { ...admitting, ...definitions, ...everyKind, ...validating };
const inBrowser = await modulesInBrowser();

/** Result of admission of a user's object, as text: objects of two realms are never of the same class. */
const outcomeOf = ({ allKinds, admit }: Modules, object: JsonObject): string | undefined => {
  const kind = allKinds.find(
    (each) => apiVersionOf(each) === object.apiVersion && each.kind === object.kind,
  );
  if (kind === undefined) return undefined;
  try {
    return JSON.stringify(admit(kind, object));
  } catch (error) {
    return String(error);
  }
};

const examples = globSync('examples/**/*.yaml', { cwd: ROOT })
  .flatMap((file) => parseAllDocuments(readFileSync(join(ROOT, file), 'utf8')))
  .map((document) => document.toJS() as JsonObject);

test('a browser admits the examples, and refuses what is wrong, as Node.js does', () => {
  let compared = 0;
  for (const example of examples) {
    const wrong: JsonObject = { ...example, spec: { schedulerName: 7, workload: [], weight: 'x' } };
    for (const object of [example, wrong]) {
      const expectedOutcome = outcomeOf(inNode, object);
      if (expectedOutcome === undefined) continue;
      assert.equal(outcomeOf(inBrowser, object), expectedOutcome);
      compared++;
    }
  }
  assert.ok(compared > 50, `only ${compared} objects are of our kinds`);
});

test('a browser makes the definitions of the kinds', () => {
  const definitionsOf = ({ allKinds, toCrd }: Modules): string =>
    JSON.stringify(allKinds.map(toCrd));
  assert.equal(definitionsOf(inBrowser), definitionsOf(inNode));
});

interface Recording {
  readonly schema: JsonObject;
  readonly self: JsonValue;
  readonly cases: readonly { readonly rule: string }[];
}

test('a browser judges rules as Node.js does', () => {
  const { schema, self, cases }: Recording = JSON.parse(
    readFileSync(join(ROOT, 'packages/schema/test/recorded/expressions.json'), 'utf8'),
  );
  const object = { apiVersion: 'v1', kind: 'Thing', spec: self };
  const problems = ({ compileValidator }: Modules, rule: string): string =>
    JSON.stringify(
      compileValidator({
        type: 'object',
        properties: { spec: { ...schema, 'x-kubernetes-validations': [{ rule }] } },
      })(object),
    );
  for (const { rule } of cases) assert.equal(problems(inBrowser, rule), problems(inNode, rule));
});
