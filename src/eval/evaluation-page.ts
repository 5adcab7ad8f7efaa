import { measureRows, ratio, type EvaluatedSample, type Evaluation, type Measures, type RocPoint } from './measure.js';
import type { Sample, Judged } from './sample.js';

/** Additional content of a page. */
interface PageOptions {
  readonly title: string;
  /** The data set, for the text of misjudged samples. Default: only ids. */
  readonly samples?: readonly Sample[];
}

/** The maximum number of listed misjudged samples, and of characters of each. */
const [mostListed, mostWords] = [200, 300];

/** An evaluation as a page of HTML: self-contained, without scripts or external resources. Sample content is escaped as text. */
export const evaluationPage = (evaluation: Evaluation, { title, samples = [] }: PageOptions): string => {
  const { together, guards } = evaluation;
  const rows = [['All guards', together] as const, ...Object.entries(guards)];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<p>${evaluation.samples.length} samples, ${evaluation.samples.filter(({ label }) => label).length} of them positive: the guards should object.</p>
${table(
  ['', ...measureRows.map(({ name }) => name)],
  rows.map(([name, measures]) => [name, ...measureRows.map(({ show }) => show(measures))]),
)}
${together.curve ? curveOf(together.curve, together) : `<p>No curve: ${together.scored} of ${evaluation.samples.length - together.unavailable} verdicts carry a score.</p>`}
${misjudged(evaluation.samples, new Map(samples.map((sample) => [sample.id, sample])))}
</body>
</html>
`;
};

const style = `body{font:15px/1.5 system-ui,sans-serif;max-width:75rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
h1{overflow-wrap:anywhere}
table{border-collapse:collapse;margin:1rem 0;display:block;overflow-x:auto}th,td{padding:.3rem .5rem;border-bottom:1px solid #8886;text-align:right;vertical-align:top}
th{vertical-align:bottom}td{white-space:nowrap}th:first-child,td:first-child,.words{text-align:left}td:first-child,td.words{white-space:pre-wrap;overflow-wrap:anywhere}td:first-child{min-width:9rem}td.words{min-width:20rem}
svg{max-width:26rem;width:100%;overflow:visible}svg text{font-size:11px;fill:currentColor}
@media(max-width:70rem){table,tbody,tr,td{display:block}thead{display:none}tr{border-bottom:2px solid #8888;padding:.5rem 0}
td{display:flex;justify-content:space-between;gap:1rem;border:0;padding:.1rem 0}td:first-child{font-weight:600}td:empty{display:none}
td::before{content:attr(data-name);color:color-mix(in srgb,currentColor 70%,transparent)}td:first-child::before{content:none}td.words{display:block;min-width:0}td.words::before{display:block}}`;

/** A table that becomes one column on a narrow screen: each value then has its name. */
const table = (head: readonly string[], rows: readonly (readonly string[])[], lastClass = ''): string => {
  const classOf = (at: number): string => (lastClass && at === head.length - 1 ? ` class="${lastClass}"` : '');
  const cell = (text: string, at: number): string =>
    `<td data-name="${escaped(head[at] ?? '')}"${classOf(at)}>${escaped(text)}</td>`;
  return `<table><thead><tr>${head.map((name, at) => `<th scope="col"${classOf(at)}>${escaped(name)}</th>`).join('')}</tr></thead><tbody>
${rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('\n')}
</tbody></table>`;
};

const size = 300;

/** The curve, and the point of the guards' current verdicts. */
const curveOf = (curve: readonly RocPoint[], { recall = 0, falsePositiveRate = 0, auc }: Measures): string => {
  const at = (x: number, y: number): string => `${(x * size).toFixed(1)},${((1 - y) * size).toFixed(1)}`;
  const [x, y] = at(falsePositiveRate, recall).split(',');
  return `<h2>Curve</h2>
<svg viewBox="-40 -10 ${size + 60} ${size + 50}" role="img" aria-label="Recall over the rate of false positives; the area under it is ${ratio(auc)}">
<rect width="${size}" height="${size}" fill="none" stroke="#8888"/>
<polyline points="${at(0, 0)} ${at(1, 1)}" fill="none" stroke="#8888" stroke-dasharray="4"/>
<polyline points="${curve.map((point) => at(point.falsePositiveRate, point.recall)).join(' ')}" fill="none" stroke="#2a78d6" stroke-width="2"/>
<circle cx="${x}" cy="${y}" r="4" fill="#d6452a"/>
<text x="${size / 2}" y="${size + 30}" text-anchor="middle">rate of false positives</text>
<text x="-20" y="${size / 2}" text-anchor="middle" transform="rotate(-90 -20 ${size / 2})">recall</text>
<text x="0" y="${size + 14}" text-anchor="middle">0</text><text x="${size}" y="${size + 14}" text-anchor="middle">1</text>
</svg>
<p>The area under the curve is ${ratio(auc)}. The dot marks the current threshold of the guards.</p>`;
};

/** False objections, missed samples, and samples without a verdict. */
const misjudged = (all: readonly EvaluatedSample[], known: ReadonlyMap<string, Sample>): string => {
  const wrong = all.filter(({ label, objected }) => objected !== label);
  if (wrong.length === 0) return '<p>No sample was misjudged.</p>';
  const rows = wrong.slice(0, mostListed).map(({ id, location, label, objected, verdict, score, why }) => {
    const sample = known.get(id);
    const mistake = objected === undefined ? 'no verdict' : label ? 'false negative' : 'false positive';
    return [
      id === location ? id : `${id} (${location})`,
      mistake,
      verdict,
      score === undefined ? '' : ratio(score),
      [why, sample && shortened(wordsOf(sample.judged))].filter(Boolean).join('\n'),
    ];
  });
  const more = wrong.length > mostListed ? `<p>${wrong.length - mostListed} more are not listed.</p>` : '';
  return `<h2>Misjudged</h2>${table(['sample', 'mistake', 'verdict', 'score', 'text'], rows, 'words')}${more}`;
};

const shortened = (words: string): string => {
  const characters = Array.from(words);
  return characters.length > mostWords ? `${characters.slice(0, mostWords).join('')}…` : words;
};

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');

/** The text of a sample, for people. */
const wordsOf = (judged: Judged): string => {
  if ('text' in judged) return judged.text;
  return 'chunks' in judged ? judged.chunks.join('') : JSON.stringify(judged.payload);
};
