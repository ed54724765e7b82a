import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PEER_TESTS } from '../tools/peers/peer-tests.ts';

const ROOT = new URL('..', import.meta.url).pathname;

/** A test file that asks for a peer does it by its variable, or by a neighbour that reads it. */
const ASKS =
  /process\.env\b.*PERIGEE_TEST_(KUBECONFIG|KARMADA|VOLCANO)|PERIGEE_TEST_(KUBECONFIG|KARMADA\w*|VOLCANO)\b.* = process\.env|real-server\.ts'|karmada-programs\.ts'|karmada-world\.ts'|karmada-scheduler-process\.ts'|goBinary\(|controllerManagerBinary\(/;

test('npm run test:peers runs each test that is skipped where a peer is missing', () => {
  const files = Object.values(PEER_TESTS).flat();
  assert.deepEqual(
    files.filter((file) => !existsSync(join(ROOT, file))),
    [],
  );
  const asking = globSync(['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'], { cwd: ROOT });
  assert.deepEqual(
    asking.filter((file) => ASKS.test(readFileSync(join(ROOT, file), 'utf8'))).sort(),
    [...files].sort(),
  );
});
