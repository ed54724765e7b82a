import type { ASTNode } from '@marcbachmann/cel-js';

/** Position of a node's operator, dot or bracket in the text, to which CEL's errors point. */
export const positionOf = (node: ASTNode): number => {
  const find = (text: string, after: number): number => {
    const offset = node.input.indexOf(text, after);
    return offset < 0 ? node.pos : offset;
  };
  switch (node.op) {
    case '.':
    case '.?':
      return find('.', node.args[0].end);
    case '[]':
    case '[?]':
      return find('[', node.args[0].end);
    case 'call':
      return find('(', node.start);
    case 'rcall':
      return find('(', node.args[1].end + node.args[0].length);
    case '?:':
      return find('?', node.args[0].end);
    case '==':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
    case 'in':
      return find(node.op, node.args[0].end);
    default:
      return node.pos;
  }
};
