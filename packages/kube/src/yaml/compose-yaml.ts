import {
  Composer,
  type Document,
  type DocumentOptions,
  Lexer,
  LineCounter,
  type ParseOptions,
  Parser,
  type SchemaOptions,
} from 'yaml';
import { YamlError } from '../errors.ts';

/** So many take some tenths of a second, in which the process does nothing else. */
const MOST_TOKENS = 100_000;

export interface ComposedYaml {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
  /** True if another document follows. */
  readonly hasMore: boolean;
}

type Options = ParseOptions & DocumentOptions & SchemaOptions;

/** The parts of the text; ends at the first that stands where it must not, as everything after it would. */
function* partsOf(text: string, lines: LineCounter) {
  const parser = new Parser(lines.addNewLine);
  let tokens = 0;
  for (const lexeme of new Lexer().lex(text)) {
    tokens += 1;
    if (tokens > MOST_TOKENS) {
      throw new YamlError(
        `yaml: the text has more than ${MOST_TOKENS} tokens, which is too much to read as YAML: make it smaller, or write it as JSON`,
      );
    }
    for (const part of parser.next(lexeme)) {
      yield part;
      if (part.type === 'error') return yield* parser.end();
    }
  }
  yield* parser.end();
}

const compose = (text: string, options: Options): ComposedYaml => {
  const lines = new LineCounter();
  lines.addNewLine(0);
  const composer = new Composer({ ...options, prettyErrors: false, logLevel: 'silent' });
  const documents = composer.compose(partsOf(text, lines), true, text.length);
  const document = documents.next().value as Document.Parsed;
  return { document, lines, hasMore: documents.next().done === false };
};

/**
 * The first document of a text that anybody may have written, in time that grows with its length and under
 * a limit. Its errors have positions only: to quote the text beside each of them, as the library offers,
 * scans the whole text for each.
 */
export const composeYaml = (text: string, options: Options = {}): ComposedYaml => {
  // A text may have an error in every token; each would note where in this program it was found.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return compose(text, options);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
};
