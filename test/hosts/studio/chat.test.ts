import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { widths } from '../browser.js';
import { useBrowser } from '../use-browser.js';
import { better, useStudio } from './serve-studio.js';

const studio = useStudio();
const browser = useBrowser({ suite: 'studio', tolerated: [/Failed to load resource/, /ERR_/] });

const say = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel('Your message').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
};

const openChat = (width: number, agent = 'support'): Promise<Page> => browser().open(studio.href(`?agent=${agent}`), { width });

describe.each(Object.values(widths))('the chat at %i px', (width) => {
  it('strikes through what was taken back, and says who sent the attempt back', async () => {
    const page = await openChat(width);
    await say(page, 'short');
    await page.getByText(better).waitFor();
    await page.getByText('attempt 1 sent back').waitFor();
    await page.getByText('quality: Say more.').first().waitFor();
    expect(await page.locator('del').textContent()).toBe('ok.');
    await browser().screenshot(page, 'chat-retry');
  });

  it('says why a run was stopped, and leads to the moment', async () => {
    const page = await openChat(width);
    await say(page, 'leak');
    const notice = page.locator('.notice-trip');
    await notice.getByText('Stopped by leak').waitFor();
    await notice.getByText('Output stream').waitFor();
    await notice.getByText('not asked for').waitFor();
    await notice.getByText('email').waitFor();
    expect(await page.locator('.transcript').textContent()).not.toContain('whitfield@');
    await browser().screenshot(page, 'chat-tripwire');
    await notice.getByRole('link', { name: 'See the moment in the run' }).click();
    await page.getByRole('slider', { name: 'Point in time' }).waitFor();
    expect(new URL(page.url()).searchParams.get('at')).toMatch(/^\d+$/);
    await page
      .getByRole('group', { name: /^Graph of/ })
      .getByRole('button', { name: /^leak.*trip/ })
      .waitFor();
  });

  it('holds words until they were read, and shows how many', async () => {
    const page = await openChat(width, 'desk');
    await say(page, 'slow');
    await page
      .locator('.transcript')
      .getByText(/\d+ characters held/)
      .waitFor();
    await browser().screenshot(page, 'chat-held');
    await page.getByText('One two three four five. Six seven eight nine ten.').waitFor();
    await page.locator('.turn-foot').getByText('success').waitFor();
    expect(await page.getByText(/characters held/).count()).toBe(0);
  });

  it.each(['Grant', 'Decline'])('asks before a tool runs: %s', async (answer) => {
    const page = await openChat(width);
    await say(page, 'refund');
    const question = page.locator('.notice-edit');
    await question.getByText('May refund run?').waitFor();
    await question.getByText('1042').waitFor();
    if (answer === 'Grant') await browser().screenshot(page, 'chat-approval');
    await question.getByRole('button', { name: answer }).click();
    await page.locator('.turn-foot').getByText('success').waitFor();
    await page
      .locator('.tool summary')
      .getByText(answer === 'Grant' ? 'done' : 'refused')
      .waitFor();
  });

  it('shows what a failing provider said', async () => {
    const page = await openChat(width);
    await say(page, 'fail');
    await page
      .getByText(/The provider is on fire/)
      .first()
      .waitFor();
    await page.locator('.turn-foot').getByText('failed').waitFor();
  });
});

it('loads little script at first, and asks nobody but its server', async () => {
  const page = await browser().open('about:blank');
  const scripts: Promise<Buffer>[] = [];
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') scripts.push(response.body());
  });
  await page.goto(studio.href(''));
  await page.getByRole('button', { name: 'Send' }).waitFor();
  await page.waitForLoadState('networkidle');
  const kilobytes = (await Promise.all(scripts)).reduce((sum, body) => sum + gzipSync(body).length, 0) / 1000;
  expect(kilobytes).toBeGreaterThan(20);
  expect(kilobytes).toBeLessThan(350);
});

it('stops a run that goes on', async () => {
  const page = await openChat(widths.desktop);
  await say(page, 'hang');
  await page.getByText('One moment').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.locator('.turn-foot').getByText('canceled').waitFor();
  await page.getByRole('button', { name: 'Send' }).waitFor();
});

it('comes back to a conversation by its address', async () => {
  const page = await openChat(widths.desktop);
  await say(page, 'Where is it?');
  await page.getByText(better).waitFor();
  await page.waitForURL(/thread=/);
  await page.reload();
  await page.getByText(better).waitFor();
  await page.locator('.said').getByText('Where is it?').waitFor();
  await page.getByRole('button', { name: 'New conversation' }).click();
  await page.getByRole('heading', { name: 'Talk to Support' }).waitFor();
});

it('shows the states of the run beside the conversation, in words of the server', async () => {
  const page = await openChat(widths.desktop);
  await say(page, 'short');
  const strip = page.getByRole('complementary');
  await strip.getByText('attempt 2').waitFor();
  await strip.locator('[aria-current="step"]', { hasText: 'success' }).waitFor();
  await strip.getByText('Output step: Say more.').waitFor();
});

it('waits for a server that went away, and goes on', async () => {
  const page = await openChat(widths.desktop);
  await say(page, 'hang');
  await page.getByText('One moment').waitFor();
  const bringBack = await studio.takeAway();
  await page.getByText('The server is away').waitFor();
  await bringBack();
  await page.getByText('The server is away').waitFor({ state: 'detached' });
  await say(page, 'Where is it?');
  await page.getByText(better).waitFor();
});
