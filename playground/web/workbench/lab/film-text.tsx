import { InertText } from '../../components/inert-text.js';
import type { Frame } from './film.js';

/** The text as it stands in a frame: what was released, what is held, what has not come. */
export const FilmText = ({ frame: { released, fresh, held, coming } }: { readonly frame: Frame }) => (
  <>
    <div className="film-text">
      <Words look="film-released" says="released" text={released.slice(-mostChars)} />
      <Words look="film-released film-fresh" says="released just now" text={fresh} />
      <Words look="film-held" says="held" text={held} />
      <Words look="film-coming" says="not yet come" text={coming.slice(0, mostChars)} />
    </div>
    <ul className="film-key" aria-hidden>
      <li className="film-released">released</li>
      <li>
        <span className="film-held">held</span>
      </li>
      <li className="film-coming">not yet come</li>
    </ul>
  </>
);

/** Of a long text only what is near is shown. */
const mostChars = 4_000;

const Words = ({ look, says, text }: { readonly look: string; readonly says: string; readonly text: string }) =>
  text !== '' && (
    <span className={look}>
      <span className="unseen">{says}: </span>
      <InertText text={text} />
    </span>
  );
