/** The package has no types. */
declare module 'llm_guardrail' {
  type Check = (text: string) => Promise<{ readonly detected: boolean }>;
  export const checkInjection: Check;
  export const checkJailbreak: Check;
}
