package io.txbox;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.jooq.impl.DSL;

/** Holds the arrows between the packages. */
@AnalyzeClasses(packages = "io.txbox", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest
  static final ArchRule VOCABULARY_IMPORTS_NOTHING_OF_OURS =
      classes()
          .that()
          .resideInAPackage("io.txbox")
          .should()
          .onlyDependOnClassesThat()
          .resideOutsideOfPackages("io.txbox.*..");

  @ArchTest
  static final ArchRule PACKAGES_HAVE_NO_CYCLE =
      slices().matching("io.txbox.(**)").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule ONLY_ONE_PACKAGE_KNOWS_THE_BROKER =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.txbox.rocketmq..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.rocketmq..");

  /** SQL is built in the stores; the check at start reads the schema's version by one. */
  @ArchTest
  static final ArchRule ONLY_STORES_BUILD_SQL =
      noClasses()
          .that()
          .resideOutsideOfPackages("io.txbox.store..", "io.txbox.internal.guard..")
          .and()
          .doNotHaveSimpleName("SetupCheck")
          .should()
          .dependOnClassesThat()
          .areAssignableTo(DSL.class);

  @ArchTest
  static final ArchRule ONLY_THE_TRANSACTION_SEES_JDBC =
      noClasses()
          .that()
          .resideOutsideOfPackages("io.txbox.store..", "io.txbox.internal.guard..")
          .and()
          .haveNameNotMatching(
              "io\\.txbox\\.(inbox\\.Attempt|internal\\.database\\.(Database|SqlErrors)).*")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("java.sql..");

  @ArchTest
  static final ArchRule NOTHING_BELOW_KNOWS_THE_ENGINE =
      noClasses()
          .that()
          .resideInAnyPackage("io.txbox.store..", "io.txbox.internal.guard..")
          .should()
          .dependOnClassesThat(
              JavaClass.Predicates.resideInAnyPackage(
                  "io.txbox.inbox..", "io.txbox.rocketmq..", "io.txbox.internal.lane.."));
}
