/**
 * A comment right above a block, for the tests. A reader of the page does not see it.
 * - `not run: why`: the block is only checked for its syntax.
 * - `file: name`: the block is the content of that file.
 * - `in: file`: the block is a part of the first object in that file of the repository.
 * - `with: code`: lines that the block needs above it.
 */
export interface BlockNote {
  readonly kind: 'not run' | 'file' | 'in' | 'with';
  readonly text: string;
}

export interface FencedBlock {
  readonly language: string;
  readonly body: string;
  /** The line of the page on which the block begins. */
  readonly line: number;
  readonly note?: BlockNote;
}

const NOTE = /<!-- (not run|file|in|with):\s+([\s\S]*?)\s*-->\s*$/;

const noteAbove = (above: readonly string[]): BlockNote | undefined => {
  const match = NOTE.exec(above.join('\n'));
  if (match === null) return undefined;
  const [, kind, text] = match;
  return { kind: kind as BlockNote['kind'], text: text as string };
};

/** The code blocks of a Markdown page, in their order. Blocks within lists are indented. */
export const fencedBlocks = (markdown: string): readonly FencedBlock[] => {
  const blocks: FencedBlock[] = [];
  let open: { indent: string; language: string; line: number; body: string[] } | undefined;
  let above: string[] = [];
  for (const [at, text] of markdown.split('\n').entries()) {
    const fence = /^(\s*)```(\S*)/.exec(text);
    if (open === undefined) {
      if (fence === null) above.push(text);
      else open = { indent: fence[1] ?? '', language: fence[2] ?? '', line: at + 1, body: [] };
      continue;
    }
    if (fence === null) {
      open.body.push(text.startsWith(open.indent) ? text.slice(open.indent.length) : text);
      continue;
    }
    const { language, line, body } = open;
    const note = noteAbove(above);
    blocks.push({
      language,
      line,
      body: `${body.join('\n')}\n`,
      ...(note === undefined ? {} : { note }),
    });
    above = [];
    open = undefined;
  }
  return blocks;
};
