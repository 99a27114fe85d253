package io.txbox.testkit.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The parent, as a {@link ChildJvm} sees it: gives orders, a line each, and is told answers. For
 * one thread, except {@link #answer}.
 */
public final class Parent {
  private final BufferedReader orders =
      new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
  private final PrintStream answers;

  private Parent(PrintStream answers) {
    this.answers = answers;
  }

  /** Keeps the standard output for answers; what is printed there goes to the log from now on. */
  public static Parent ofThisJvm() {
    PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    return new Parent(answers);
  }

  /** Waits for the next order; there is none, and never will be, once the parent is dead. */
  public @Nullable String nextOrder() {
    try {
      return orders.readLine();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Gives an answer, of one line. */
  public void answer(String line) {
    answers.println(line);
  }

  /** Waits until the parent has died, which deletes this folder else, and dies with it. */
  public void dieWithIt(TempFolder folder) {
    while (nextOrder() != null) {
      // Nothing more is obeyed.
    }
    folder.close();
    Runtime.getRuntime().halt(0);
  }
}
