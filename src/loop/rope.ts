/** Number of pieces that are joined at once. */
const piecesOfBlock = 4_096;

/**
 * Builds a text from small pieces: the function takes a piece and returns the text so far. The JavaScript engine would hold such
 * a text as a tree of its pieces, at several times its size, until it is read; this function joins the pieces in blocks as they
 * arrive.
 */
export const createRope = (): ((piece: string) => string) => {
  let blocks = '';
  let block = '';
  let pieces: string[] = [];
  return (piece) => {
    pieces.push(piece);
    block += piece;
    if (pieces.length === piecesOfBlock) {
      blocks += pieces.join('');
      block = '';
      pieces = [];
    }
    return blocks + block;
  };
};
