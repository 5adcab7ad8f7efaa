import { z } from 'zod';
import { rowsOf } from './csv.js';
import { readPackages, type PackageTexts } from './documentation.js';
import { isMislabelled } from './mislabelled.js';
import { readJson, readSource, type ReadFile } from './read-source.js';
import type { Source, sources } from './sources.js';
import { unreadOf } from './unread.js';

const sentenceSchema = z.object({
  full_text: z.string(),
  spans: z.array(z.object({ entity_type: z.string(), start_position: z.number(), end_position: z.number() })),
});

/** A sentence, and its marked values. */
export type MarkedSentence = z.output<typeof sentenceSchema>;

/** Texts of one kind. */
export interface TextSet {
  readonly name: string;
  readonly isAttack: boolean;
  /** Whether the texts are results of tools. Default: a user's input. */
  readonly isToolResult?: boolean;
  readonly texts: readonly string[];
}

/** The contents of the data sets, in their original order. */
export interface DataSets {
  readonly sentences: readonly MarkedSentence[];
  /** The sets of the first table: jailbreaks, and harmless text with words of attacks. */
  readonly main: readonly TextSet[];
  readonly others: readonly TextSet[];
  readonly packages: PackageTexts;
}

const attacksSchema = z.array(z.object({ user_input: z.string(), injection_type: z.enum(['direct', 'indirect']) }));
const promptsSchema = z.array(z.object({ prompt: z.string().min(1) }));
const orderSchema = z.record(z.string(), z.array(z.string()));
const pageSchema = z.object({ context: z.union([z.string(), z.array(z.string())]) });
const playSchema = z.object({ attack: z.string() });

/** Longer prompts are documents of their own. */
const maxPromptChars = 4000;

/** Reads the data sets; rejects one that differs from its pinned version. */
export const readDataSets = async (
  from: Record<keyof typeof sources, Source>,
  read: ReadFile,
  packages: PackageTexts = readPackages(),
): Promise<DataSets> => {
  const jsonOf = ({ files }: Source): Promise<unknown[]> => Promise.all(files.map((file) => readJson(file, read)));
  const textsOf = ({ files }: Source): Promise<string[]> => Promise.all(files.map((file) => readSource(file, read)));
  const sentences = (await jsonOf(from.presidio)).flatMap((json) => z.array(sentenceSchema).parse(json));
  const wild = (await jsonOf(from.inTheWild)).flatMap((json) => z.array(z.string().min(1)).parse(json));
  const attacks = (await jsonOf(from.purpleLlama)).flatMap((json) => attacksSchema.parse(json));
  const attacksOf = (type: 'direct' | 'indirect') =>
    attacks.flatMap(({ injection_type, user_input: text }) => (injection_type === type ? [text] : []));
  const [hijacking = '', extraction = ''] = await textsOf(from.tensorTrust);
  const playsIn = (lines: string): string[] => linesOf(lines, playSchema).map(({ attack }) => attack);
  const [xsTest = ''] = await textsOf(from.xsTest);
  const [prompts = ''] = await textsOf(from.promptsChat);
  const { pages, attacked } = bipiaOf(await textsOf(from.bipia));
  return {
    sentences,
    packages,
    main: [
      attack('jailbreaks in the wild', unreadOf(wild)),
      ...(await jsonOf(from.notInject)).map((json, at) =>
        harmless(`NotInject, ${['one word', 'two words', 'three words'][at]}`, promptsOf(json)),
      ),
      harmless(
        'sentences of presidio-research',
        sentences.map(({ full_text: text }) => text),
      ),
    ],
    others: [
      attack(
        'jailbreaks in the wild without wrong labels',
        unreadOf(wild).filter((text) => !isMislabelled(text)),
      ),
      attack('PurpleLlama, the user attacks', unreadOf(attacksOf('direct'))),
      attack('PurpleLlama, a text that the user gives attacks', unreadOf(attacksOf('indirect'))),
      attack('Tensor Trust, hijacking', unreadOf(playsIn(hijacking))),
      attack('Tensor Trust, extraction', unreadOf(playsIn(extraction))),
      { ...attack('BIPIA, an order in a result of a tool', attacked), isToolResult: true },
      harmless(
        'XSTest, safe questions',
        rowsOf(xsTest).flatMap(([, prompt = '', , label]) => (label === 'safe' ? [prompt] : [])),
      ),
      harmless(
        'prompts.chat',
        rowsOf(prompts).flatMap(([, prompt = '']) => (prompt && prompt.length <= maxPromptChars ? [prompt] : [])),
      ),
      harmless('WildGuard, harmless prompts', (await jsonOf(from.wildGuard)).flatMap(promptsOf)),
      { ...harmless('BIPIA, results of tools without an order', pages), isToolResult: true },
      { ...harmless('documentation, as results of tools', packages.documentation), isToolResult: true },
      { ...harmless('licenses, as results of tools', packages.licenses), isToolResult: true },
    ],
  };
};

const attack = (name: string, texts: readonly string[]): TextSet => ({ name, isAttack: true, texts });
const harmless = (name: string, texts: readonly string[]): TextSet => ({ name, isAttack: false, texts });
const promptsOf = (json: unknown): string[] => promptsSchema.parse(json).map(({ prompt }) => prompt);
const linesOf = <Schema extends z.ZodType>(lines: string, schema: Schema): z.output<Schema>[] =>
  lines
    .split('\n')
    .filter(Boolean)
    .map((line) => schema.parse(JSON.parse(line)));

/** The pages of BIPIA, and each with one of its orders: at the start, in the middle and at the end, in turn. */
const bipiaOf = ([emails = '', tables = '', code = '', textOrders = '{}', codeOrders = '{}']: readonly string[]) => {
  const pagesOf = (lines: string): string[] =>
    linesOf(lines, pageSchema).map(({ context }) => (typeof context === 'string' ? context : context.join('\n')));
  const ordersOf = (json: string): string[] => Object.values(orderSchema.parse(JSON.parse(json))).flat();
  const withOrders = (pages: readonly string[], orders: readonly string[]): string[] =>
    pages.map((page, at) => {
      const place = [0, page.indexOf('\n', page.length / 2) + 1, page.length][at % 3];
      return `${page.slice(0, place)}\n${orders[at % orders.length] ?? ''}\n${page.slice(place)}`;
    });
  const [texts, ofCode] = [[...pagesOf(emails), ...pagesOf(tables)], pagesOf(code)];
  return {
    pages: [...texts, ...ofCode],
    attacked: [...withOrders(texts, ordersOf(textOrders)), ...withOrders(ofCode, ordersOf(codeOrders))],
  };
};
