import { YamlError } from '@perigee/kube/errors';
import { composeYaml } from '@perigee/kube/yaml/compose-yaml';
import { parseYaml } from '@perigee/kube/yaml/parse-yaml';
import { type GroupLevels, parseGroupLevels } from '@perigee/scheduling/groups/group-levels';
import { InvalidObjectError } from '@perigee/schema/errors';
import { InvalidRulesError } from '../errors.ts';

/** Maximum number of reported errors; each word of a text could be one. */
const MOST_TOLD = 5;
const LONGEST_TEXT = 256 * 1024;

/** Splits `podgroupLevel[1].kind` into steps. */
const stepsOf = (field: string): readonly (string | number)[] =>
  field
    .split(/[.[\]]+/)
    .filter((step) => step !== '')
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));

/** Returns a function from a field to its line, or to the line of its parent if it is missing. */
const lineFinder = (text: string): ((field: string) => number) => {
  const { document, lines } = composeYaml(text, { version: '1.1', uniqueKeys: false });
  return (field) => {
    const steps = stepsOf(field);
    for (let length = steps.length; length > 0; length--) {
      const node = document.getIn(steps.slice(0, length), true) as { range?: [number] } | undefined;
      if (node?.range) return lines.linePos(node.range[0]).line;
    }
    return 1;
  };
};

const explain = (text: string, { errors }: InvalidObjectError): string => {
  const lineOf = lineFinder(text);
  const firstErrors = errors
    .slice(0, MOST_TOLD)
    .map(({ field, message }) => `line ${lineOf(field)}: ${field}: ${message}`);
  const more = errors.length - firstErrors.length;
  return [...firstErrors, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
};

/** Parses `volcano-controller.conf`. Throws `InvalidRulesError` with lines and errors. */
export const readGroupLevels = (text: string): GroupLevels => {
  if (text.length > LONGEST_TEXT) {
    throw new InvalidRulesError(`the text is longer than ${LONGEST_TEXT} characters`);
  }
  try {
    const { value, duplicateKeys } = parseYaml(text);
    const [duplicate] = duplicateKeys;
    if (duplicate !== undefined) throw new InvalidRulesError(duplicate);
    return parseGroupLevels(value);
  } catch (error) {
    if (error instanceof YamlError) throw new InvalidRulesError(error.message);
    if (error instanceof InvalidObjectError) throw new InvalidRulesError(explain(text, error));
    throw error;
  }
};
