/** So many pieces are put together at once. */
const piecesOfBlock = 4_096;

/**
 * Makes a text that grows by small pieces: the function takes a piece and gives the text so far. The engine holds such a text as the
 * tree of its pieces, at several times its size, until somebody reads it; here they are put together block by block as they come.
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
