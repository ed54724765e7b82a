import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { suite, test } from 'node:test';

const ROOT = new URL('../..', import.meta.url).pathname.replace(/\/$/, '');
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...globSync('{bench,deploy,docs,examples}/**/*.md', { cwd: ROOT }),
].sort();

/** Text of a page without its code, which contains no links. */
const prose = (page: string): string =>
  readFileSync(join(ROOT, page), 'utf8')
    .replaceAll(/^(`{3,}).*?^\1$/gms, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()#]/g, ''));

/** The anchors that GitHub gives to the headings of a page. */
const anchorsOf = (page: string): ReadonlySet<string> => {
  const counts = new Map<string, number>();
  const anchors = [...prose(page).matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading = '']) => {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = plain.replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-');
    const times = counts.get(anchor) ?? 0;
    counts.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  });
  return new Set(anchors);
};

const linksOf = (page: string): readonly string[] =>
  [...prose(page).matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)|^\[[^\]]+\]: *(\S+)/gm)]
    .map(([, inline, listed]) => inline ?? listed ?? '')
    .filter((link) => !/^[a-z][a-z+.-]*:/i.test(link));

/** Problem of a link of a page; undefined if its target exists. */
const problemOf = (page: string, link: string): string | undefined => {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : relative(ROOT, join(ROOT, dirname(page), path));
  if (target.startsWith('..')) return `${link} leaves the repository`;
  if (!existsSync(join(ROOT, target))) return `${link}: there is no ${target}`;
  if (anchor === undefined || statSync(join(ROOT, target)).isDirectory()) return undefined;
  return anchorsOf(target).has(decodeURIComponent(anchor))
    ? undefined
    : `${link}: ${target} has no such heading`;
};

suite('every link of the pages leads somewhere', () => {
  for (const page of pages) {
    test(page, () => {
      const problems = linksOf(page).flatMap((link) => problemOf(page, link) ?? []);
      assert.deepEqual(problems, []);
    });
  }
});

test('pages are reached from the README', () => {
  const reached = new Set(['README.md']);
  for (const page of reached) {
    for (const link of linksOf(page)) {
      const target = relative(ROOT, join(ROOT, dirname(page), link.split('#')[0] ?? ''));
      if (target.endsWith('.md')) reached.add(target);
      else for (const file of globSync(`${target}/*.md`, { cwd: ROOT })) reached.add(file);
    }
  }
  assert.deepEqual(
    pages.filter((page) => !reached.has(page)),
    [],
  );
});

suite('a list of a folder has everything in it', () => {
  for (const [folder, pattern] of [
    ['docs', '*.md'],
    ['docs/apiserver', '*.md'],
    ['docs/tutorials', '*.md'],
    ['docs/migrating', '*.md'],
    ['examples', '*.yaml'],
  ] as const) {
    test(`${folder}/README.md`, () => {
      const links = new Set(linksOf(`${folder}/README.md`).map((link) => link.split('#')[0]));
      const files = globSync(pattern, { cwd: join(ROOT, folder) });
      assert.deepEqual(
        files.filter((file) => file !== 'README.md' && !links.has(file)),
        [],
      );
    });
  }
});
