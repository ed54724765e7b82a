import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { verifyBackup } from '../src/backup/verify-backup.ts';
import { processClock } from '../src/process-clock.ts';
import { failureOf, orderOf, runOrder } from './support/run.ts';
import { contents, plant, scratch } from './support/trees.ts';

test('a backup has a manifest, is restored by it, and damage is found', async () => {
  using root = scratch();
  const place = (path: string) => ({ kind: 'local', root: root.path, path }) as const;
  plant(join(root.path, 'from'), { a: 'one', 'd/b': 'two', l: '-> a' });
  const about = { dataset: 'raw' };
  const saving = {
    mode: 'sync',
    to: place('saved/ns/raw/data'),
    manifest: { place: place('saved/ns/raw/manifest.json'), about },
  };
  const saved = await runOrder(orderOf(root.path, saving));
  const manifest = JSON.parse(readFileSync(join(root.path, 'saved/ns/raw/manifest.json'), 'utf8'));
  assert.deepEqual(
    [manifest.digest, manifest.files, manifest.bytes, manifest.about],
    [saved.digest, 2, 6, about],
  );
  const verify = () => verifyBackup(place('saved/ns/raw'), processClock);
  assert.deepEqual([(await verify()).isIntact, (await verify()).files], [true, 2]);

  const restoring = (path: string) => ({
    from: place('saved/ns/raw/data'),
    to: place(path),
    verifiedBy: place('saved/ns/raw/manifest.json'),
  });
  const restored = await runOrder(orderOf(root.path, restoring('back')));
  assert.equal(restored.digest, saved.digest);
  assert.deepEqual(contents(join(root.path, 'back')), contents(join(root.path, 'from')));

  writeFileSync(join(root.path, 'from/a'), 'new one');
  const next = await runOrder(orderOf(root.path, saving));
  assert.equal(next.filesCopied, 1, 'only what changed');
  assert.equal((await verify()).isIntact, true);

  writeFileSync(join(root.path, 'saved/ns/raw/data/d/b'), 'TWO');
  assert.equal((await verify()).isIntact, false);
  assert.match(
    await failureOf(() => runOrder(orderOf(root.path, restoring('never')))),
    /^BackupDamaged: the backup of .* is damaged/,
  );
  assert.equal(existsSync(join(root.path, 'never')), false, 'nothing damaged gets its name');
  const nothing = () => verifyBackup(place('from'), processClock);
  assert.match(await failureOf(nothing), /^SourceMissing: there is no backup: from\/manifest.json/);

  const other = join(root.path, 'saved/ns/raw/manifest.json');
  rmSync(other);
  mkdirSync(other);
  assert.match(await failureOf(verify), /^BackupDamaged: the manifest is no file/);
});
