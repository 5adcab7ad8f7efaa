import { appendFileSync } from 'node:fs';
import type { MastraModelConfig } from '@mastra/core/llm';
import { createTool } from '@mastra/core/tools';
import { Agent } from 'mastra-interlock';
import type { Engine } from 'mastra-interlock/engine';
import { toolSecretsGuard } from 'mastra-interlock/guards';
import { z } from 'zod';

export interface Setup {
  readonly model: MastraModelConfig;
  readonly ledger: string;
  readonly durability: Engine;
  /** Called before a payment is made. */
  readonly onPay: (invoice: string) => void;
}

/** The same agent in every process. A payment is a line in the ledger. */
export const createPaymentAgent = ({ model, ledger, durability, onPay }: Setup) => {
  const pay = createTool({
    id: 'pay',
    description: 'Pays an invoice.',
    inputSchema: z.object({ invoice: z.string(), euros: z.number() }),
    execute: async ({ invoice, euros }) => {
      onPay(invoice);
      appendFileSync(ledger, `${invoice} ${euros}\n`);
      return `${invoice} is paid`;
    },
  });
  return new Agent({
    id: 'payments',
    name: 'Payments',
    instructions: 'Pay each invoice once, one after another. Then say that all is paid.',
    model,
    tools: { pay },
    outputProcessors: [toolSecretsGuard()],
    durability,
  });
};
