import type { Terminal } from '../../output/terminal.ts';
import { fitProse } from '../../output/wrap.ts';
import type { DoableChange, DoableSuggestion } from './read-suggestions.ts';

const sharesText = (to: DoableSuggestion['to']): string =>
  to.map(({ name, replicas }) => (replicas === undefined ? name : `${name}:${replicas}`)).join(' ');

const rightText = ({ allowed }: DoableChange): readonly string[] =>
  allowed === false ? ['You may not do this: ask who may.'] : [];

/** Commands are not wrapped, so that they can be copied. */
const changeText = (change: DoableChange, terminal: Terminal): string => {
  const { width } = terminal;
  const narrower = width === undefined ? terminal : { ...terminal, width: width - 3 };
  const { command } = change;
  const prose = [`${change.text}.`, ...rightText(change)].join(' ');
  const capital = `${prose.charAt(0).toUpperCase()}${prose.slice(1)}`;
  const lines = [fitProse(capital, narrower), ...(command === undefined ? [] : [`  ${command}`])];
  return lines.join('\n').replaceAll(/^/gm, '   ').slice(3);
};

/** Formats suggestions, the smallest first. */
export const formatSuggestions = (
  suggestions: readonly DoableSuggestion[],
  terminal: Terminal,
): string => {
  if (suggestions.length === 0) return '';
  const paragraphs = suggestions.map(({ changes, to }, at) => {
    const texts = changes.map((change) => changeText(change, terminal));
    const end = `   Then it would run in ${sharesText(to)}.`;
    return `${at + 1}. ${texts.join('\n   And: ')}\n${fitProse(end, terminal)}`;
  });
  return `\nWhat would make it run; each was tried on a copy of the present state:\n\n${paragraphs.join('\n\n')}\n`;
};
