package io.txbox.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Holds what the command line may know. */
@AnalyzeClasses(packages = "io.txbox.cli", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest
  static final ArchRule ONLY_MAIN_IS_PUBLIC =
      classes()
          .that()
          .resideInAPackage("io.txbox.cli..")
          .and()
          .doNotHaveSimpleName("Cli")
          .should()
          .notBePublic();

  @ArchTest
  static final ArchRule ONLY_ONE_CLASS_KNOWS_THE_BROKER =
      noClasses()
          .that()
          .resideInAPackage("io.txbox.cli..")
          .and()
          .doNotHaveSimpleName("Brokers")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.apache.rocketmq..", "io.txbox.rocketmq..");

  @ArchTest
  static final ArchRule NOTHING_SEES_JDBC =
      noClasses()
          .that()
          .resideInAPackage("io.txbox.cli..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("java.sql..");
}
