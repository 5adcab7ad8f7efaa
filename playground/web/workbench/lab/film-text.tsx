import { InertText } from '../../components/inert-text.js';
import type { Frame } from './film.js';

/** The text as it stands in a frame: what was released, what is held, what has not come. */
export const FilmText = ({ frame: { released, fresh, held, coming } }: { readonly frame: Frame }) => (
  <>
    <div className="film-text">
      <Words look="film-released" says="released" text={released} />
      <Words look="film-released film-fresh" says="released just now" text={fresh} />
      <Words look="film-held" says="held" text={held} />
      <Words look="film-coming" says="not yet come" text={coming} />
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

const Words = ({ look, says, text }: { readonly look: string; readonly says: string; readonly text: string }) =>
  text !== '' && (
    <span className={look}>
      <span className="unseen">{says}: </span>
      <InertText text={text} />
    </span>
  );
